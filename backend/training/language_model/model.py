"""GPT-2 (Radford et al. 2019), small enough to read: with equal weights, the numbers of `transformers`' GPT2LMHeadModel."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from torch import Tensor, nn
from torch.nn import functional

if TYPE_CHECKING:
    from isogloss.backend.training.language_model.options import Architecture

INITIAL_DEVIATION = 0.02
"""Standard deviation of fresh weights."""


class Attention(nn.Module):
    """Each token looks at itself and at those before it in its window."""

    def __init__(self, shape: Architecture) -> None:
        super().__init__()
        self.heads, self.dropout = shape.heads, shape.dropout
        self.c_attn = nn.Linear(shape.dims, 3 * shape.dims)  # queries, keys, values
        self.c_proj = nn.Linear(shape.dims, shape.dims)

    def forward(self, states: Tensor) -> Tensor:
        """`states` [windows, tokens, dims] to what is added to them."""
        windows, tokens, dims = states.shape
        joint = self.c_attn(states).view(windows, tokens, 3, self.heads, dims // self.heads)
        queries, keys, values = joint.permute(2, 0, 3, 1, 4)  # each [windows, heads, tokens, dims of a head]
        dropout = self.dropout if self.training else 0.0
        mixed = functional.scaled_dot_product_attention(queries, keys, values, dropout_p=dropout, is_causal=True)
        return functional.dropout(
            self.c_proj(mixed.transpose(1, 2).reshape(windows, tokens, dims)), self.dropout, self.training
        )


class FeedForward(nn.Module):
    """Two layers on each token alone."""

    def __init__(self, shape: Architecture) -> None:
        super().__init__()
        self.dropout = shape.dropout
        self.c_fc = nn.Linear(shape.dims, 4 * shape.dims)
        self.c_proj = nn.Linear(4 * shape.dims, shape.dims)

    def forward(self, states: Tensor) -> Tensor:
        """`states` [windows, tokens, dims] to what is added to them."""
        inner: Tensor = functional.gelu(self.c_fc(states), approximate="tanh")  # [windows, tokens, 4 · dims]
        return functional.dropout(self.c_proj(inner), self.dropout, self.training)


class Block(nn.Module):
    """One layer: both parts read normalised states and add to the residual stream."""

    def __init__(self, shape: Architecture) -> None:
        super().__init__()
        self.ln_1, self.attn = nn.LayerNorm(shape.dims), Attention(shape)
        self.ln_2, self.mlp = nn.LayerNorm(shape.dims), FeedForward(shape)

    def forward(self, states: Tensor) -> Tensor:
        """`states` [windows, tokens, dims] to those of the next layer."""
        states = states + self.attn(self.ln_1(states))
        added: Tensor = self.mlp(self.ln_2(states))
        return states + added


class LanguageModel(nn.Module):
    """Token ids in, the states before the output layer out.

    The scores of the next token are `states @ wte.weight.T`: the output layer is the input embedding. They are not computed
    here: over a large vocabulary they are most of the memory (`backend.training.language_model.loss`). Names of parameters are
    those of `transformers`.
    """

    def __init__(self, shape: Architecture) -> None:
        super().__init__()
        self.dropout = shape.dropout
        self.wte = nn.Embedding(shape.vocabulary, shape.dims)  # tokens
        self.wpe = nn.Embedding(shape.context, shape.dims)  # positions
        self.h = nn.ModuleList([Block(shape) for _ in range(shape.layers)])
        self.ln_f = nn.LayerNorm(shape.dims)
        self._initialise(shape)

    def _initialise(self, shape: Architecture) -> None:
        """GPT-2's: normal weights, zero biases, and less on the way into the residual stream the more layers add to it."""
        for name, parameter in self.named_parameters():
            if name.endswith("c_proj.weight"):
                nn.init.normal_(parameter, std=INITIAL_DEVIATION / math.sqrt(2 * shape.layers))
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)
            elif ".ln_" not in f".{name}":
                nn.init.normal_(parameter, std=INITIAL_DEVIATION)

    def forward(self, ids: Tensor) -> Tensor:
        """`ids` [windows, tokens] to states [windows, tokens, dims]."""
        positions = self.wpe.weight[: ids.shape[1]]
        states = functional.dropout(self.wte(ids) + positions, self.dropout, self.training)
        for block in self.h:
            states = block(states)
        normalised: Tensor = self.ln_f(states)
        return normalised
