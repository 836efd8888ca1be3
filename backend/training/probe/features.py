"""Where probes read their features: rows of frozen vectors, in half precision, in memory or on disk."""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import torch

from isogloss.backend.errors import IsoglossError
from isogloss.backend.metrics.probing.pairs import pair_features

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor


class ProbeError(IsoglossError):
    """Features or options that no probe can be trained with."""


class Features(Protocol):
    """Anything that gives the features of some rows (words, or pairs of sentences) at a time."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows; layers of each, the input embedding among them; features a layer."""

    @property
    def rows(self) -> int:
        """How many words or pairs there are."""
        return self.shape[0]

    @property
    def layers(self) -> int:
        """Layers of each, the input embedding among them."""
        return self.shape[1]

    @property
    def dims(self) -> int:
        """Features a layer."""
        return self.shape[2]

    def read(self, rows: NDArray[np.int64]) -> Tensor:
        """Return the features of `rows`: float16 or float32 `[rows, layers, dims]`, on the CPU."""


@dataclass(frozen=True, eq=False)
class VectorFeatures(Features):
    """One vector a row: words, or single sentences."""

    vectors: NDArray[np.float16]
    """`[rows, layers, dims]`, an array or a memory map (whose pages are let go after each reading)."""
    exponents: NDArray[np.int16] | None = None
    """`[rows, layers]`: true vector = vector × 2^exponent, see `backend.models.encoding.half`. None: all are 0."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """Vectors, layers, dimensions."""
        rows, layers, dims = self.vectors.shape
        return rows, layers, dims

    def read(self, rows: NDArray[np.int64]) -> Tensor:
        """Return the vectors of `rows`, float16; float32 where one of them has an exponent."""
        vectors = torch.from_numpy(self.vectors[rows])
        if isinstance(base := getattr(self.vectors, "base", None), mmap.mmap):
            base.madvise(mmap.MADV_DONTNEED)
        if self.exponents is None or not (powers := self.exponents[rows]).any():
            return vectors
        return torch.ldexp(vectors.float(), torch.from_numpy(powers).unsqueeze(-1))


@dataclass(frozen=True, eq=False)
class PairFeatures(Features):
    """`[u; v; |u - v|; u * v]` of pairs of sentences, made while it is read: four times the dimensions of a sentence."""

    sentences: VectorFeatures
    first: NDArray[np.int64]
    """`[pairs]`: the row of u among the sentences."""
    second: NDArray[np.int64]
    """`[pairs]`: the row of v."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """Pairs, layers of each sentence, features of a pair."""
        _, layers, dims = self.sentences.shape
        return len(self.first), layers, 4 * dims

    def read(self, rows: NDArray[np.int64]) -> Tensor:
        """Return the features of the pairs `rows`, float32."""
        return pair_features(self.sentences.read(self.first[rows]), self.sentences.read(self.second[rows]))


@dataclass(frozen=True, eq=False)
class ChosenFeatures(Features):
    """Features of some rows of others, such as the second sentence of each pair."""

    features: Features
    chosen: NDArray[np.int64]
    """`[rows]`: which of the others each row is."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """The chosen rows; layers and features as of all."""
        return len(self.chosen), self.features.layers, self.features.dims

    def read(self, rows: NDArray[np.int64]) -> Tensor:
        """Return those of `rows`."""
        return self.features.read(self.chosen[rows])


@dataclass(frozen=True, eq=False)
class Labelled:
    """Features with the tags to learn (or to stop by, or to be tested on)."""

    features: Features
    labels: NDArray[np.int64]
    """`[rows]`: the number of each row's tag, from 0."""
    control: NDArray[np.int64] | None = None
    """`[rows]`, or `[seeds, rows]` where each has a draw of its own: its tag in the control task
    (`backend.metrics.probing.controls.control_tags`)."""
