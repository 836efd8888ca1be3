"""Kept embeddings: one Parquet file per (checkpoint, corpus, language, pooling), vectors as raw float16 bytes."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from backend import parquet
from backend.errors import StoreError
from backend.files import digest
from backend.store import quarantine

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

FOLDER = "embeddings"


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
        return f"{digest(asdict(self))}.parquet"


def sentences_digest(ids: Sequence[str]) -> str:
    return digest(list(ids))


def save(workspace: Path, key: EmbeddingKey, ids: Sequence[str], vectors: NDArray[np.float16]) -> Path:
    """Keep `vectors` `[sentences, layers, dims]` of the sentences `ids`. Raises `StoreError` where it cannot be written."""
    sentences, layers, dims = vectors.shape
    raw = np.ascontiguousarray(vectors, dtype=np.float16).reshape(sentences, -1)
    width = layers * dims * 2
    binary = pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), sentences, [None, pa.py_buffer(raw)])
    table = pa.table({"sentence_id": pa.array(ids, pa.string()), "vector": binary})
    return parquet.write(workspace / FOLDER / key.file, table, {**asdict(key), "layers": layers, "dims": dims}, "none")


def load(workspace: Path, key: EmbeddingKey) -> NDArray[np.float16] | None:
    """The kept vectors `[sentences, layers, dims]`, or None where there are none; a damaged file is set aside."""
    path = workspace / FOLDER / key.file
    try:
        table = parquet.read(path)
        shape = parquet.metadata(path)
    except FileNotFoundError:
        return None
    except StoreError as error:
        quarantine.set_aside(workspace, path, str(error))
        return None
    column = table["vector"].combine_chunks()
    column = column.chunk(0) if isinstance(column, pa.ChunkedArray) else column
    flat = np.frombuffer(column.buffers()[1], dtype=np.float16, count=len(column) * shape["layers"] * shape["dims"])
    touch(path)
    return flat.reshape(len(column), shape["layers"], shape["dims"])


def touch(path: Path) -> None:
    """Mark a file as used now: the least recently used go first when the budget is exceeded."""
    try:
        os.utime(path)
    except OSError:
        return  # a read-only workspace has no eviction either


def keep_within(workspace: Path, gib: float) -> list[str]:
    """Remove the least recently used embeddings until they take at most `gib`; the names of what went."""
    files = sorted(((f.stat(), f) for f in (workspace / FOLDER).glob("*.parquet")), key=lambda found: found[0].st_mtime)
    excess = sum(stat.st_size for stat, _ in files) - gib * 2**30
    gone: list[str] = []
    for stat, file in files:
        if excess <= 0:
            break
        file.unlink(missing_ok=True)
        excess -= stat.st_size
        gone.append(file.name)
    return gone
