"""Kept embeddings: one Parquet file per (checkpoint, corpus, language, pooling), vectors as raw float16 bytes.

Words have files of the same kind (`word_embeddings`).
"""

from __future__ import annotations

import math
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa

from isogloss.backend import parquet, people
from isogloss.backend.files import TEMPORARY, digest
from isogloss.backend.store import quarantine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

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
    prefix: str = ""
    """What was set before every text."""
    precision: str = "float32"
    """What the model computed in: scores of bfloat16 are up to .007 off those of float32, and no curve may mix the two."""

    @property
    def fields(self) -> dict[str, str]:
        """The key as the file has it: without a prefix where there is none, and without float32, as files were first named."""
        plain = {"prefix": "", "precision": "float32"}
        return {name: value for name, value in asdict(self).items() if value != plain.get(name)}

    @property
    def file(self) -> str:
        """The name of the file: a digest of the key and the format."""
        return f"{digest(self.fields | {'format': FORMAT})}.parquet"


@dataclass(frozen=True, eq=False, kw_only=True)
class Vectors:
    """Vectors of every layer, and what they were computed with: the same whether just computed or kept."""

    vectors: NDArray[np.float16]
    """`[rows, layers + 1, dims]`, each scaled by a power of two that no cosine notices; layer 0 is the input embedding."""
    exponents: NDArray[np.int16] | None = None
    """`[rows, layers + 1]`: true vector = vector × 2^exponent, zero for nearly all; None in old files of words."""
    device: str
    """What they were computed on: `cpu`, `cuda:0`."""
    precision: str
    """What they were computed in, before the rounding to float16: `float32`, `bfloat16`."""

    @property
    def size(self) -> int:
        """Bytes of all vectors with their exponents: nearly those of their file."""
        return self.vectors.nbytes + (0 if self.exponents is None else self.exponents.nbytes)


@dataclass(frozen=True, eq=False, kw_only=True)
class SentenceVectors(Vectors):
    """One language's sentences in one pooling."""

    exponents: NDArray[np.int16]
    truncated: NDArray[np.bool_]
    """`[sentences]`: true for one that was longer than the model's maximum and lost its end."""
    pieces: NDArray[np.int32] | None = None
    """`[sentences]`: tokens of its own, special ones not counted; None, as the next two, in files of before they were kept."""
    sinks: NDArray[np.float32] | None = None
    """`[sentences, layers + 1]`: how many times the median of its tokens' vectors the first one's is long."""
    first_shares: NDArray[np.float32] | None = None
    """`[sentences, layers + 1]`: the first token's part of what makes the vector, 0 to 1."""


V = TypeVar("V", bound=Vectors)


def sentences_digest(ids: Sequence[str]) -> str:
    """Hash the sentence ids in their order."""
    return digest(list(ids))


def save(workspace: Path, key: EmbeddingKey, ids: Sequence[str], found: SentenceVectors) -> Path:
    """Keep the vectors of the sentences `ids`. Raises `StoreError` where they cannot be written."""
    columns = {"sentence_id": pa.array(ids, pa.string()), "truncated": pa.array(found.truncated, pa.bool_())}
    if found.pieces is not None:
        columns["pieces"] = pa.array(found.pieces, pa.int32())
    for name, each in (("sinks", found.sinks), ("first_shares", found.first_shares)):
        if each is not None:
            columns[name] = _by_layer(each, np.float32)
    return write_vectors(workspace, key, columns, found)


def load(workspace: Path, key: EmbeddingKey) -> SentenceVectors | None:
    """Return what is kept under `key`, or None where nothing is; a damaged file is set aside."""

    def columns(table: pa.Table) -> dict[str, Any]:
        found = {"truncated": whole_column(table, "truncated").to_numpy(zero_copy_only=False).astype(np.bool_)}
        if "pieces" in table.column_names:
            found["pieces"] = whole_column(table, "pieces").to_numpy(zero_copy_only=False).astype(np.int32)
        for name in ("sinks", "first_shares"):
            if name in table.column_names:
                found[name] = _read_by_layer(table, name, np.float32).reshape(table.num_rows, -1)
        return found

    return read_vectors(workspace, key, SentenceVectors, columns)


def write_vectors(workspace: Path, key: EmbeddingKey, columns: Mapping[str, pa.Array], vectors_kept: Vectors) -> Path:
    """Keep vectors beside other columns. Raises `StoreError` where they cannot be written."""
    rows, layers, dims = vectors_kept.vectors.shape
    every = dict(columns)
    if vectors_kept.exponents is not None:
        every["exponents"] = _by_layer(vectors_kept.exponents, np.int16)
    raw = pa.py_buffer(np.ascontiguousarray(vectors_kept.vectors, dtype=np.float16))
    every["vector"] = pa.FixedSizeBinaryArray.from_buffers(pa.binary(layers * dims * 2), rows, [None, raw])
    provenance = {"layers": layers, "dims": dims, "device": vectors_kept.device, "precision": vectors_kept.precision}
    return parquet.write(workspace / FOLDER / key.file, pa.table(every), key.fields | provenance, "none")


def read_vectors(workspace: Path, key: EmbeddingKey, kind: type[V], columns: Callable[[pa.Table], dict[str, Any]]) -> V | None:
    """Return what is kept under `key`, with the other `columns` of its table; None where there is none.

    A damaged file is set aside.
    """
    path = workspace / FOLDER / key.file
    whole = quarantine.read(workspace, path)
    if whole is None:
        return None
    table, provenance = whole
    touch(path)
    shape = table.num_rows, provenance["layers"], provenance["dims"]
    buffer = whole_column(table, "vector").buffers()[1] if table.num_rows else b""
    vectors = np.frombuffer(buffer, dtype=np.float16, count=math.prod(shape)).reshape(shape)
    exponents = None
    if "exponents" in table.column_names:
        exponents = _read_by_layer(table, "exponents", np.int16).reshape(shape[:2])
    made = {name: provenance[name] for name in ("device", "precision")}
    return kind(vectors=vectors, exponents=exponents, **made, **columns(table))


def _by_layer(numbers: NDArray[Any], kind: type[np.generic]) -> pa.Array:
    """Return numbers `[rows, layers]` as a column of lists."""
    return pa.FixedSizeListArray.from_arrays(pa.array(np.ascontiguousarray(numbers, dtype=kind).reshape(-1)), numbers.shape[1])


def _read_by_layer(table: pa.Table, name: str, kind: type[np.generic]) -> NDArray[Any]:
    """Return the numbers of such a column one after the other, row by row."""
    numbers: NDArray[Any] = whole_column(table, name).flatten().to_numpy(zero_copy_only=False).astype(kind)
    return numbers


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
    if people.only_looks():
        return
    try:
        os.utime(path)
    except OSError:
        return  # a read-only workspace has no eviction either


def make_room(workspace: Path, gib: float, sizes: Sequence[int] = (), since: float = math.inf) -> int:
    """Return how many of `sizes` (bytes, the most important first) a budget of `gib` has room for, and make that room.

    The least recently used vectors go, but none that was used `since` (seconds since 1970): a run that needs more than the
    budget would else throw away all that it kept before it comes back to it.
    """
    files = sorted(_files(workspace))
    taken, bound = sum(size for _, size, _ in files), sum(size for used, size, _ in files if used >= since)
    budget, fit = gib * 2**30, 0
    for size in sizes:
        if bound + size > budget:
            break
        bound, taken, fit = bound + size, taken + size, fit + 1
    for used, size, path in files:
        if taken <= budget or used >= since:
            break
        Path(path).unlink(missing_ok=True)
        taken -= size
    return fit


def _files(workspace: Path) -> Iterator[tuple[float, int, str]]:
    """Give when each file of vectors was last used, its bytes and its path, without those that another worker takes away.

    Not by `published_files`: the folder may have ten thousand, and is asked once a pass.
    """
    with suppress(FileNotFoundError), os.scandir(workspace / FOLDER) as folder:
        for entry in folder:
            if entry.name.endswith(".parquet") and not entry.name.startswith(TEMPORARY):
                with suppress(FileNotFoundError):
                    stat = entry.stat()
                    yield stat.st_mtime, stat.st_size, entry.path
