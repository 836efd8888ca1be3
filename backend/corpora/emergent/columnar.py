"""Rows of a Parquet or Arrow file, as the same rows of JSON Lines: all that reads those reads these."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from isogloss.backend.corpora.shared.blocks import Block, BrokenRowError, blocks
from isogloss.backend.corpora.shared.inputs import printable
from isogloss.backend.corpora.shared.parquet_columns import readable
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from isogloss.backend.corpora.shared.inputs import InputFile

TOGETHER = 10_000
"""Rows read at once."""
SIGNATURES = {b"PAR1": "Parquet", b"ARROW1": "Arrow", b"\xff\xff\xff\xff": "Arrow"}
"""Arrow's file format, and its stream, which is what Hugging Face `datasets` saves."""


def container_of(file: InputFile) -> str:
    """Return `Parquet` or `Arrow`, by a file's first bytes, whatever its name; nothing for any other file."""
    with open(file.path, "rb") as source:
        head = source.read(6)
    return next((name for signature, name in SIGNATURES.items() if head.startswith(signature)), "")


def rows_of(file: InputFile, columns: Sequence[str] = ()) -> Iterator[Block]:
    """Yield a file's rows in order: those of a text file (`blocks`), or of a columnar one an object of its usable columns each.

    Columns of text, and of lists of integers or of text, can hold utterances; others are passed over, unless they are among
    `columns`, and then those alone are read. Rows are counted from 1. Raises `CorpusError` where there is no such column, and
    for a damaged file.
    """
    container = container_of(file)
    return _rows(file, container, columns) if container else blocks(file)


def names_of(file: InputFile) -> list[str]:
    """Return the names of all columns of a columnar file. Raises `CorpusError` for a damaged one."""
    container = container_of(file)
    with readable(file, container):
        if container == "Parquet":
            with pq.ParquetFile(file.path, pre_buffer=False) as source:
                names: list[str] = source.schema_arrow.names
                return names
        with pa.OSFile(str(file.path)) as raw:
            return list(_opened(raw).schema.names)


def _rows(file: InputFile, container: str, columns: Sequence[str]) -> Iterator[Block]:
    first = 1
    with readable(file, container):
        for batch in _batches(file, container, columns):
            batch.validate(full=True)  # Arrow takes a file's offsets at their word: a hostile one would end the process
            for start in range(0, batch.num_rows, TOGETHER):
                found = batch.slice(start, TOGETHER).to_pylist()
                yield Block(range(first, first + len(found)), [_row(value) for value in found])
                first += len(found)


def _row(value: dict[str, object]) -> str | BrokenRowError:
    """Return a row as JSON, without what it lacks: a missing list is an empty utterance as `[]` is."""
    try:
        return json.dumps({name: [] if each is None else each for name, each in value.items()})
    except (TypeError, ValueError) as error:
        return BrokenRowError("not text or integers", str(error))


def _batches(file: InputFile, container: str, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Yield the file's usable columns, or those asked for, in batches. The whole of a stream is never held."""
    if container == "Parquet":
        with pq.ParquetFile(file.path, pre_buffer=False) as source:
            names = list(columns) or _usable(source.schema_arrow, file)
            yield from source.iter_batches(TOGETHER, columns=names, use_threads=False)
        return
    with pa.OSFile(str(file.path)) as raw:
        schema = _opened(raw).schema
        # What is not named here is neither read nor unpacked.
        names = list(columns) or _usable(schema, file)
        found = _opened(raw, pa.ipc.IpcReadOptions(included_fields=[schema.names.index(name) for name in names]))
        yield from map(found.get_batch, range(found.num_record_batches)) if hasattr(found, "get_batch") else found


def _opened(
    raw: pa.OSFile, options: pa.ipc.IpcReadOptions | None = None
) -> pa.RecordBatchFileReader | pa.RecordBatchStreamReader:
    raw.seek(0)
    is_file = raw.read(6) == b"ARROW1"
    raw.seek(0)
    return (pa.ipc.open_file if is_file else pa.ipc.open_stream)(raw, options=options)


def _usable(schema: pa.Schema, file: InputFile) -> list[str]:
    """Return the columns that can hold utterances. Raises `CorpusError` where there are none, or two of a name."""
    [(name, times)] = Counter(schema.names).most_common(1) or [("", 0)]
    if times > 1:
        raise CorpusError(
            f"{times:,} columns are called '{printable(name)}'.",
            remedy="Give each column a name of its own.",
            file=file.name,
        )
    usable = [field.name for field in schema if _holds_symbols(field.type)]
    if not usable:
        listed = ", ".join(f"'{field.name}' ({field.type})" for field in list(schema)[:12]) or "none"
        raise CorpusError(
            f"No column holds lists of integers, lists of text or text. Its columns: {listed}.",
            remedy="Save the utterances in a column of such lists.",
            file=file.name,
        )
    return usable


def _holds_symbols(kind: pa.DataType) -> bool:
    listed = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    one = kind.value_type if listed else kind
    one = one.value_type if pa.types.is_dictionary(one) else one
    text = pa.types.is_string(one) or pa.types.is_large_string(one)
    return bool(text or (listed and pa.types.is_integer(one)))
