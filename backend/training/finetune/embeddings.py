"""Word embeddings while fine-tuning: only the rows that training meets are trained, and noise can be laid on them.

A row of the table that no training example contains has no gradient, and without weight decay Adam then never moves it. Leaving
such rows out is exact, and for a vocabulary of 250,000 it spares most of the optimiser's work, of the memory and of the state.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn import functional

if TYPE_CHECKING:
    from collections.abc import Iterator


class WordEmbeddings(nn.Module):
    """Takes the place of a model's table of word embeddings."""

    whole: Tensor
    met: Tensor
    place: Tensor

    def __init__(self, table: nn.Embedding, met: Tensor) -> None:
        """Share the weights of `table`, the model's own, which `settle` writes to.

        `met` are the ids that training examples contain, ascending, int64.
        """
        super().__init__()
        weights = table.weight.detach()
        place = torch.zeros(len(weights), dtype=torch.int64, device=weights.device)
        place[met] = torch.arange(len(met), device=weights.device)
        self.rows = nn.Parameter(weights[met].clone())
        self.register_buffer("whole", weights, persistent=False)
        self.register_buffer("met", met, persistent=False)
        self.register_buffer("place", place, persistent=False)
        padding = table.padding_idx
        self.padding = int(place[padding]) if padding is not None and bool((met == padding).any()) else None
        self.scale: Any = getattr(table, "embed_scale", None)  # mBART and XGLM multiply by the root of the width
        self.noise = 0.0
        self.noised_from = 0

    def settle(self) -> None:
        """Put the trained rows back into the whole table, which evaluation reads."""
        with torch.no_grad():
            self.whole[self.met] = self.rows

    def forward(self, ids: Tensor) -> Tensor:
        """Ids `[batch, tokens]` → `[batch, tokens, dims]`. In training every id must be one of those met."""
        if self.training:
            vectors = functional.embedding(self.place[ids], self.rows, self.padding)
        else:
            vectors = functional.embedding(ids, self.whole)
        if self.scale is not None:
            vectors = vectors * self.scale
        if self.noise == 0 or not self.training:
            return vectors
        clean, noised = vectors[: self.noised_from], vectors[self.noised_from :]
        return torch.cat([clean, noised + self.noise * torch.randn_like(noised)])

    @contextmanager
    def noisy(self, deviation: float, start: int = 0) -> Iterator[None]:
        """While it lasts, Gaussian noise of this standard deviation lies on every token of the examples from `start` on."""
        self.noise, self.noised_from = deviation, start
        try:
            yield
        finally:
            self.noise, self.noised_from = 0.0, 0


def replace_embeddings(module: nn.Module, met: Tensor | None) -> WordEmbeddings:
    """Put `WordEmbeddings` in the place of `module`'s table; `met` None trains all rows. Returns what was put there."""
    table: nn.Embedding = module.get_input_embeddings()  # type: ignore[operator]
    if met is None:
        met = torch.arange(table.num_embeddings)
    made = WordEmbeddings(table, met.to(table.weight.device))
    for parent in list(module.modules()):  # by identity: an encoder and what encloses it may both hold the table
        for name, child in list(parent.named_children()):
            if child is table:
                setattr(parent, name, made)
    return made
