"""Kept vectors of words: one Parquet file per (checkpoint, corpus, language, segmentation), a row a word."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from isogloss.backend.store.embeddings import EmbeddingKey, Vectors, read_vectors, write_vectors

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

FORMAT = 1
PLACE = ("sentence", "start", "end")


@dataclass(frozen=True, eq=False, kw_only=True)
class WordVectors(Vectors):
    """Words of one language's sentences; zeros for a word without tokens."""

    places: NDArray[np.int32]
    """`[words, 3]`: the sentence's number, and start and end in its characters."""
    lost: NDArray[np.bool_]
    """`[words]`: true for a word without a vector: cut off with the end of its sentence, or unknown to the tokeniser."""

    def has(self, wanted: Sequence[tuple[int, int, int]]) -> bool:
        """Return whether every place (sentence, start, end) is one of these words."""
        return set(map(tuple, self.places.tolist())) >= set(wanted)

    def take(self, wanted: Sequence[tuple[int, int, int]]) -> WordVectors:
        """Return the words at `wanted` (sentence, start, end), in that order. Raises `KeyError` for a place that is no word."""
        row_of = {tuple(place): row for row, place in enumerate(self.places.tolist())}
        rows = np.array([row_of[place] for place in wanted], np.int64)
        exponents = None if self.exponents is None else self.exponents[rows]
        return replace(self, places=self.places[rows], vectors=self.vectors[rows], lost=self.lost[rows], exponents=exponents)


def words_of(segmentation: str, *, without_first: bool = False) -> str:
    """Return which words, and which of their tokens, `key_of` is asked for: those of a sentence's first token, or without."""
    return f"{segmentation} without first" if without_first else segmentation


def key_of(
    fingerprint: str,
    corpus: str,
    language: str,
    segmentation: str,
    sentences: str,
    prefix: str = "",
    precision: str = "float32",
) -> EmbeddingKey:
    """Return the key of all words that `segmentation` (a version) finds in the sentences, each with `prefix` before it."""
    return EmbeddingKey(fingerprint, corpus, language, f"words {FORMAT} {segmentation}", sentences, prefix, precision)


def save(workspace: Path, key: EmbeddingKey, found: WordVectors) -> Path:
    """Keep the words. Raises `StoreError` where they cannot be written."""
    columns = {name: pa.array(np.ascontiguousarray(found.places[:, i])) for i, name in enumerate(PLACE)}
    columns["lost"] = pa.array(found.lost, pa.bool_())
    return write_vectors(workspace, key, columns, found)


def load(workspace: Path, key: EmbeddingKey) -> WordVectors | None:
    """Return the words kept under `key`, or None where there are none; a damaged file is set aside."""

    def columns(table: pa.Table) -> dict[str, Any]:
        places = np.stack([table[name].to_numpy() for name in PLACE], axis=1).astype(np.int32)
        return {"places": places, "lost": table["lost"].to_numpy().astype(np.bool_)}

    return read_vectors(workspace, key, WordVectors, columns)
