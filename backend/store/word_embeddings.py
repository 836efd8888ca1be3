"""Kept vectors of words: one Parquet file per (checkpoint, corpus, language, segmentation), a row a word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from backend.store.embeddings import EmbeddingKey, read_vectors, whole_column, write_vectors

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

FORMAT = 1
PLACE = ("sentence", "start", "end")


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Words of one language's sentences and their vectors: the same whether just computed or kept."""

    places: NDArray[np.int32]
    """`[words, 3]`: the sentence's number, and start and end in its characters."""
    vectors: NDArray[np.float16]
    """`[words, layers + 1, dims]`, each scaled by a power of two that no cosine notices; zeros for a word without tokens."""
    lost: NDArray[np.bool_]
    """`[words]`: true for a word without a vector: cut off with the end of its sentence, or unknown to the tokeniser."""
    device: str
    precision: str
    exponents: NDArray[np.int16] | None = None
    """`[words, layers + 1]`: true vector = vector × 2^exponent, for what needs magnitudes; None in files older than these."""

    def has(self, wanted: Sequence[tuple[int, int, int]]) -> bool:
        """Return whether every place (sentence, start, end) is one of these words."""
        return set(map(tuple, self.places.tolist())) >= set(wanted)

    def take(self, wanted: Sequence[tuple[int, int, int]]) -> WordVectors:
        """Return the words at `wanted` (sentence, start, end), in that order. Raises `KeyError` for a place that is no word."""
        row_of = {tuple(place): row for row, place in enumerate(self.places.tolist())}
        rows = np.array([row_of[place] for place in wanted], np.int64)
        exponents = None if self.exponents is None else self.exponents[rows]
        return WordVectors(self.places[rows], self.vectors[rows], self.lost[rows], self.device, self.precision, exponents)


def key_of(fingerprint: str, corpus: str, language: str, segmentation: str, sentences: str) -> EmbeddingKey:
    """Return the key of all words that `segmentation` (a version) finds in the sentences."""
    return EmbeddingKey(fingerprint, corpus, language, f"words {FORMAT} {segmentation}", sentences)


def save(workspace: Path, key: EmbeddingKey, found: WordVectors) -> Path:
    """Keep the words. Raises `StoreError` where they cannot be written."""
    columns = {name: pa.array(np.ascontiguousarray(found.places[:, i])) for i, name in enumerate(PLACE)}
    columns["lost"] = pa.array(found.lost, pa.bool_())
    if found.exponents is not None:
        flat = pa.array(np.ascontiguousarray(found.exponents, dtype=np.int16).reshape(-1))
        columns["exponents"] = pa.FixedSizeListArray.from_arrays(flat, found.vectors.shape[1])
    return write_vectors(workspace, key, columns, found.vectors, found.device, found.precision)


def load(workspace: Path, key: EmbeddingKey) -> WordVectors | None:
    """Return the words kept under `key`, or None where there are none; a damaged file is set aside."""
    found = read_vectors(workspace, key)
    if found is None:
        return None
    table, vectors, provenance = found
    places = np.stack([table[name].to_numpy() for name in PLACE], axis=1).astype(np.int32)
    lost, exponents = table["lost"].to_numpy().astype(np.bool_), None
    if "exponents" in table.column_names:
        flat = whole_column(table, "exponents").flatten().to_numpy(zero_copy_only=False)
        exponents = flat.astype(np.int16).reshape(vectors.shape[:2])
    return WordVectors(places, vectors, lost, provenance["device"], provenance["precision"], exponents)
