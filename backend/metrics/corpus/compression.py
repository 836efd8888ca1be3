"""How far a general-purpose compressor shortens a corpus: regularity of any kind, without a model of it."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isogloss.backend.metrics.corpus.codes import CodedCorpus

LEVEL = 6


@dataclass(frozen=True)
class Compression:
    """Bytes of the encoded corpus and of what zlib makes of it."""

    encoded: int
    compressed: int
    tokens: int

    @property
    def ratio(self) -> float:
        """Encoded by compressed: 4 is a quarter. Large for few symbols or much repetition; nan without utterances."""
        return self.encoded / self.compressed if self.encoded else float("nan")

    @property
    def bits_per_token(self) -> float:
        """Compressed bits per token, ends of utterances included: to be compared with entropies. nan without tokens."""
        return 8 * self.compressed / self.tokens if self.tokens else float("nan")


def compression(corpus: CodedCorpus) -> Compression:
    """Compression ratio by zlib, level 6 (window 32 KiB), of the corpus in a plain encoding.

    Each symbol is its rank by frequency, from 1 (equals by id), each utterance ends in a 0, and every number takes 1, 2 or 4
    bytes, low byte first, as the largest rank needs. So names of symbols do not matter, but their number does: compare ratios
    of the same width only, and any by `bits_per_token`. Utterances repeated more than 32 KiB apart are not seen.
    """
    width = np.dtype("<u1" if corpus.types < 1 << 8 else "<u2" if corpus.types < 1 << 16 else "<u4")
    ranks = np.empty(corpus.types, width)
    ranks[np.argsort(-corpus.counts(), kind="stable")] = np.arange(1, corpus.types + 1)
    packer, size = zlib.compressobj(LEVEL), 0
    for first, last in corpus.blocks():
        begin, end = corpus.starts[first], corpus.starts[last]
        size += len(packer.compress(_encoded(ranks[corpus.codes[begin:end]], corpus.starts[first + 1 : last + 1] - begin)))
    size += len(packer.flush())
    return Compression((corpus.tokens + corpus.utterances) * width.itemsize, size, corpus.tokens)


def _encoded(ranks: NDArray[np.generic], ends: NDArray[np.int64]) -> bytes:
    """Return a block of utterances with a 0 after each."""
    return np.insert(ranks, ends, 0).tobytes()
