"""Kept embeddings: one Parquet file per (checkpoint, corpus, language, pooling), vectors as raw float16 bytes.

Words have files of the same kind (`word_embeddings`).
"""

from __future__ import annotations

import math
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from backend import parquet
from backend.files import digest, published_files
from backend.store import quarantine

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

FOLDER = "embeddings"
FORMAT = 2
"""Raised when the files hold something new: older ones are then no longer found, and go as the least recently used do."""


@dataclass(frozen=True)
class EmbeddingKey:
    """Everything that decides the vectors: two equal keys have equal vectors (up to the device's rounding)."""

    fingerprint: str
    corpus: str
    language: str
    pooling: str
    sentences: str
    """Digest of the sentence ids in order (`sentences_digest`)."""

    @property
    def file(self) -> str:
        """The name of the file: a digest of the key and the format."""
        return f"{digest(asdict(self) | {'format': FORMAT})}.parquet"


@dataclass(frozen=True, eq=False)
class SentenceVectors:
    """One language's sentences in one pooling: the same whether just computed or kept."""

    vectors: NDArray[np.float16]
    """`[sentences, layers + 1, dims]`; layer 0 is the input embedding."""
    exponents: NDArray[np.int16]
    """`[sentences, layers + 1]`: true vector = vector × 2^exponent, which no cosine notices. Zero for nearly all."""
    truncated: NDArray[np.bool_]
    """`[sentences]`: true for one that was longer than the model's maximum and lost its end."""
    device: str
    """What they were computed on: `cpu`, `cuda:0`."""
    precision: str
    """What they were computed in, before the rounding to float16: `float32`, `bfloat16`."""


def sentences_digest(ids: Sequence[str]) -> str:
    """Hash the sentence ids in their order."""
    return digest(list(ids))


def save(workspace: Path, key: EmbeddingKey, ids: Sequence[str], found: SentenceVectors) -> Path:
    """Keep the vectors of the sentences `ids`. Raises `StoreError` where they cannot be written."""
    exponents = pa.array(np.ascontiguousarray(found.exponents, dtype=np.int16).reshape(-1))
    columns = {
        "sentence_id": pa.array(ids, pa.string()),
        "truncated": pa.array(found.truncated, pa.bool_()),
        "exponents": pa.FixedSizeListArray.from_arrays(exponents, found.vectors.shape[1]),
    }
    return write_vectors(workspace, key, columns, found.vectors, found.device, found.precision)


def load(workspace: Path, key: EmbeddingKey) -> SentenceVectors | None:
    """Return what is kept under `key`, or None where nothing is; a damaged file is set aside."""
    found = read_vectors(workspace, key)
    if found is None:
        return None
    table, vectors, provenance = found
    exponents = whole_column(table, "exponents").flatten().to_numpy(zero_copy_only=False)
    truncated = whole_column(table, "truncated").to_numpy(zero_copy_only=False).astype(np.bool_)
    exponents = exponents.astype(np.int16).reshape(vectors.shape[:2])
    return SentenceVectors(vectors, exponents, truncated, provenance["device"], provenance["precision"])


def write_vectors(
    workspace: Path,
    key: EmbeddingKey,
    columns: Mapping[str, pa.Array],
    vectors: NDArray[np.float16],
    device: str,
    precision: str,
) -> Path:
    """Keep vectors, `[rows, layers, dims]`, beside other columns. Raises `StoreError` where they cannot be written."""
    rows, layers, dims = vectors.shape
    raw = pa.py_buffer(np.ascontiguousarray(vectors, dtype=np.float16))
    binary = pa.FixedSizeBinaryArray.from_buffers(pa.binary(layers * dims * 2), rows, [None, raw])
    provenance = {"layers": layers, "dims": dims, "device": device, "precision": precision}
    return parquet.write(
        workspace / FOLDER / key.file, pa.table({**columns, "vector": binary}), asdict(key) | provenance, "none"
    )


def read_vectors(workspace: Path, key: EmbeddingKey) -> tuple[pa.Table, NDArray[np.float16], dict[str, Any]] | None:
    """Table, vectors and footer of the file under `key`, or None where there is none; a damaged file is set aside."""
    path = workspace / FOLDER / key.file
    whole = quarantine.read(workspace, path)
    if whole is None:
        return None
    table, provenance = whole
    touch(path)
    shape = table.num_rows, provenance["layers"], provenance["dims"]
    buffer = whole_column(table, "vector").buffers()[1] if table.num_rows else b""
    return table, np.frombuffer(buffer, dtype=np.float16, count=math.prod(shape)).reshape(shape), provenance


def whole_column(table: pa.Table, name: str) -> pa.Array:
    """Return a column as one array, however it was cut into pieces; not copied where it is one already."""
    if table[name].num_chunks == 1 and table[name].chunk(0).offset == 0:
        return table[name].chunk(0)
    column = table[name].combine_chunks()
    return column.chunk(0) if isinstance(column, pa.ChunkedArray) else column


def exists(workspace: Path, key: EmbeddingKey) -> bool:
    """Return whether there is a file for `key`; only `load` knows whether it is whole."""
    return (workspace / FOLDER / key.file).is_file()


def touch(path: Path) -> None:
    """Mark a file as used now: the least recently used go first when the budget is exceeded."""
    try:
        os.utime(path)
    except OSError:
        return  # a read-only workspace has no eviction either


def keep_within(workspace: Path, gib: float) -> list[str]:
    """Remove the least recently used embeddings until they take at most `gib`; the names of what went."""
    files: list[tuple[os.stat_result, Path]] = []
    for file in published_files(workspace / FOLDER, "*.parquet"):
        with suppress(FileNotFoundError):  # another worker made room
            files.append((file.stat(), file))
    files.sort(key=lambda found: found[0].st_mtime_ns)
    excess = sum(stat.st_size for stat, _ in files) - gib * 2**30
    gone: list[str] = []
    for stat, file in files:
        if excess <= 0:
            break
        file.unlink(missing_ok=True)
        excess -= stat.st_size
        gone.append(file.name)
    return gone
