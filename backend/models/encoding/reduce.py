"""What is kept of a batch's hidden states, of any of its layers: vectors of sentences and words, what first tokens weigh."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import torch

from isogloss.backend.models.encoding.batch_loop import to_host
from isogloss.backend.models.encoding.half import to_half
from isogloss.backend.models.encoding.pooling import pooler, weights
from isogloss.backend.models.encoding.sinks import first_shares, sinks, token_lengths
from isogloss.backend.models.entry import Pooling

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from torch import Tensor

    from isogloss.backend.models.encoding.tokens import Tokens
    from isogloss.backend.models.encoding.words import WordTokens

Kind: TypeAlias = Pooling | Literal["words"]
"""What a vector is of: a sentence, in one of its poolings, or a word."""


@dataclass(frozen=True)
class Encoded:
    """Vectors of every layer: of sentences in the order of the texts, of words in that of `WordTokens`."""

    vectors: dict[Kind, NDArray[np.float16]]
    """One array a kind: `[rows, layers + 1, dims]`; layer 0 is the input embedding; zeros for a word that has no token."""
    exponents: dict[Kind, NDArray[np.int16]]
    """`[rows, layers + 1]`: true vector = vector × 2^exponent. Zero for nearly all: see `backend.models.encoding.half`."""
    sinks: NDArray[np.float32]
    """`[sentences, layers + 1]`: how many times the median of its tokens' vectors the first one's is long."""
    first_shares: dict[Pooling, NDArray[np.float32]]
    """One array a pooling, `[sentences, layers + 1]`: the first token's part of what makes the vector, 0 to 1."""
    truncated: NDArray[np.bool_]
    """`[sentences]`: true for one that was longer than the model's maximum and lost its end."""
    empty: int
    """Sentences without a token of their own: their `mean` is that of their special tokens."""
    tokens: int
    """Tokens run, special ones included."""
    seconds: float

    def fill(self, batch: Batch, first: int) -> None:
        """Write what a batch gave of some layers, from the layer `first` on."""
        layers = slice(first, first + batch.sinks.shape[1])
        for kind, found in batch.pooled.items():
            self.vectors[kind][found.rows, layers] = found.vectors.numpy()
            self.exponents[kind][found.rows, layers] = found.exponents.numpy()
        self.sinks[batch.rows, layers] = batch.sinks.numpy()
        for pooling, shares in zip(self.first_shares, batch.first_shares.numpy(), strict=True):
            self.first_shares[pooling][batch.rows, layers] = shares


def room_for(tokens: Tokens, poolings: Sequence[Pooling], words: WordTokens | None, shape: tuple[int, int]) -> Encoded:
    """Return room for every vector of `tokens`, to be filled; `shape` is that of one row: hidden states, dimensions."""
    count, (layers, _) = len(tokens.ids), shape
    rows: dict[Kind, int] = dict.fromkeys(poolings, count)
    if words is not None:
        rows["words"] = words.count
    return Encoded(
        vectors={kind: np.empty((rows, *shape), np.float16) for kind, rows in rows.items()},
        exponents={kind: np.zeros((rows, layers), np.int16) for kind, rows in rows.items()},
        sinks=np.zeros((count, layers), np.float32),
        first_shares={pooling: np.zeros((count, layers), np.float32) for pooling in poolings},
        truncated=tokens.truncated,
        empty=tokens.empty,
        tokens=tokens.count,
        seconds=0.0,
    )


@dataclass(frozen=True)
class Pooled:
    """One kind of vectors out of one batch, in host memory (copied there asynchronously from a GPU)."""

    rows: list[int]
    """Where they belong in the whole."""
    vectors: Tensor
    """float16 `[rows, layers, dims]`."""
    exponents: Tensor
    """int16 `[rows, layers]`."""
    finite: Tensor
    """bool `[layers]`."""


@dataclass(frozen=True)
class Batch:
    """All that is kept of some layers of one batch, in host memory as well."""

    rows: list[int]
    """The sentences of the whole."""
    pooled: dict[Kind, Pooled]
    sinks: Tensor
    """`[rows, layers]`."""
    first_shares: Tensor
    """`[poolings, rows, layers]`."""


class Reducer:
    """Makes of a batch's hidden states what is kept of them: made once for all layers of a batch."""

    def __init__(
        self, rows: list[int], mask: Tensor, special: Tensor, poolings: Sequence[Pooling], words: WordTokens | None
    ) -> None:
        """Take the sentences `rows`, of which `mask` and `special` `[rows, tokens]` say which tokens are there and added."""
        self._rows, self._mask = rows, mask
        self._pools: dict[Kind, tuple[list[int], Callable[[Tensor], Tensor]]] = {
            pooling: (rows, pooler(mask, special, pooling)) for pooling in poolings
        }
        if words is not None and (of_words := words.rows(rows)):
            self._pools["words"] = of_words, words.pooler(rows, mask.shape[1], mask.device)
        self._weights = [weights(mask, special, pooling) for pooling in poolings]

    def reduce(self, layers: Sequence[Tensor]) -> Batch:
        """Return what is kept of some layers' hidden states, `[rows, tokens, dims]` each."""
        pooled = {kind: _pooled(layers, rows, pool) for kind, (rows, pool) in self._pools.items()}
        lengths = torch.stack([token_lengths(layer) for layer in layers], dim=1)
        shares = [first_shares(lengths, self._mask, each) for each in self._weights]
        firsts = torch.stack(shares) if shares else lengths.new_zeros(0, *lengths.shape[:2])
        return Batch(self._rows, pooled, to_host(sinks(lengths, self._mask)), to_host(firsts))


def _pooled(layers: Sequence[Tensor], rows: list[int], pool: Callable[[Tensor], Tensor]) -> Pooled:
    """Return what `pool` makes of each layer: hidden states `[batch, tokens, dims]` → float32 `[rows, dims]`."""
    vectors = torch.stack([pool(layer) for layer in layers], dim=1)
    finite = vectors.isfinite().all(dim=2).all(dim=0)
    half, exponents = to_half(vectors)
    return Pooled(rows, to_host(half), to_host(exponents), to_host(finite))
