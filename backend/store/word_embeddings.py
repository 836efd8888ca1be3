"""Kept vectors of words: one Parquet file per (checkpoint, corpus, language, segmentation), a row a word."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from backend import parquet
from backend.store import quarantine
from backend.store.embeddings import FOLDER, EmbeddingKey, touch, whole_column

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

FORMAT = 1


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

    def has(self, wanted: Sequence[tuple[int, int, int]]) -> bool:
        """Whether every place (sentence, start, end) is one of these words."""
        return set(map(tuple, self.places.tolist())) >= set(wanted)

    def take(self, wanted: Sequence[tuple[int, int, int]]) -> WordVectors:
        """The words at `wanted` (sentence, start, end), in that order. Raises `KeyError` for a place that is no word."""
        row_of = {tuple(place): row for row, place in enumerate(self.places.tolist())}
        rows = np.array([row_of[place] for place in wanted], np.int64)
        return WordVectors(self.places[rows], self.vectors[rows], self.lost[rows], self.device, self.precision)


def key_of(fingerprint: str, corpus: str, language: str, segmentation: str, sentences: str) -> EmbeddingKey:
    """The key of all words that `segmentation` (a version) finds in the sentences."""
    return EmbeddingKey(fingerprint, corpus, language, f"words {FORMAT} {segmentation}", sentences)


def save(workspace: Path, key: EmbeddingKey, found: WordVectors) -> Path:
    """Keep the words. Raises `StoreError` where they cannot be written."""
    words, layers, dims = found.vectors.shape
    raw = np.ascontiguousarray(found.vectors, dtype=np.float16)
    columns = {name: pa.array(np.ascontiguousarray(found.places[:, i])) for i, name in enumerate(("sentence", "start", "end"))}
    table = pa.table(
        columns
        | {
            "lost": pa.array(found.lost, pa.bool_()),
            "vector": pa.FixedSizeBinaryArray.from_buffers(pa.binary(layers * dims * 2), words, [None, pa.py_buffer(raw)]),
        }
    )
    about = {"layers": layers, "dims": dims, "device": found.device, "precision": found.precision}
    return parquet.write(workspace / FOLDER / key.file, table, asdict(key) | about, "none")


def load(workspace: Path, key: EmbeddingKey) -> WordVectors | None:
    """The words kept under `key`, or None where there are none; a damaged file is set aside."""
    path = workspace / FOLDER / key.file
    whole = quarantine.read(workspace, path)
    if whole is None:
        return None
    table, about = whole
    touch(path)
    words, layers, dims = table.num_rows, about["layers"], about["dims"]
    buffer = whole_column(table, "vector").buffers()[1] if words else b""
    flat = np.frombuffer(buffer, dtype=np.float16, count=words * layers * dims)
    places = np.stack([table[name].to_numpy() for name in ("sentence", "start", "end")], axis=1).astype(np.int32)
    lost = table["lost"].to_numpy().astype(np.bool_)
    return WordVectors(places, flat.reshape(words, layers, dims), lost, about["device"], about["precision"])
