"""Columns of a Parquet file, batch by batch: what they take is counted before they are expanded, where that can be known.

A dictionary lets some kilobytes stand for gigabytes. So text that a file repeats is read with its dictionaries, whose sizes say
what it would take. What lies about its sizes meets the limit of the process that reads it (`apart`).
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from backend.corpora.shared import limits
from backend.corpora.shared.cells import Cells
from backend.corpora.shared.inputs import InputFile, printable
from backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

TIMES = re.compile("time|date|duration")
TOGETHER = 1 << 12
WRITTEN_OUT = 16
"""Bytes a value in the file from which on text stands there mostly as it is: a dictionary of it, made anew for each batch,
would take several times the text. Of values that a file repeats, it says before they are expanded what they will take."""
FEWEST = 16
MOST_TOGETHER = 256 << 20
MAX_COLUMNS = 2_000
MAX_VALUES = 64_000_000
"""Of one column in one row group: a single row can have them all."""


def read(file: InputFile) -> tuple[dict[str, Cells], int]:
    """Return a file's columns and its number of rows.

    Raises `TooLargeError` where they are more than an import may hold, `CorpusError` where the file is damaged.
    """
    meter = limits.meter()
    names: list[str] = []
    chunks: list[list[pa.Array]] = []

    def every(schema: pa.Schema) -> list[str]:
        names.extend(map(printable, schema.names))
        check_names(file, names)
        chunks.extend([] for _ in names)
        return list(schema.names)

    with readable(file):
        for batch in batches(file, every):
            batch.validate(full=True)  # Arrow takes a file's offsets and indices at their word: a hostile one ends the process
            meter.hold(file.name, sum(map(expanded_size, batch.columns)) + limits.VALUE * batch.num_rows * len(names))
            for kept, column in zip(chunks, batch.columns, strict=True):
                kept.append(_plain(column))
                if TIMES.search(str(column.type)):
                    column.to_pylist()  # in a zone that nobody knows, or beyond the year 9999, they are nothing to Python
    columns = {name: Cells(kept) for name, kept in zip(names, chunks, strict=True)}
    return columns, sum(map(len, chunks[0])) if chunks else 0


@contextmanager
def readable(file: InputFile) -> Iterator[None]:
    """Raise `CorpusError` for what pyarrow cannot read: it raises many kinds, and `OSError` for damage, too."""
    try:
        yield
    except CorpusError:
        raise
    except MemoryError:
        raise limits.too_large(file.name) from None
    except (pa.ArrowException, OSError, ValueError, OverflowError, KeyError, NotImplementedError) as error:
        raise CorpusError(
            "The file is damaged, or not Parquet.", remedy="Write it again with pyarrow or pandas.", file=file.name
        ) from error


def batches(file: InputFile, columns: Callable[[pa.Schema], list[str]]) -> Iterator[pa.RecordBatch]:
    """Yield the columns that are chosen of a file's, row group by row group; text of whole columns with its dictionaries.

    Raises `TooLargeError` by what the file's metadata say.
    """
    with pq.ParquetFile(file.path) as plain:
        leaves = [plain.schema.column(place) for place in range(len(plain.schema.names))]
        texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
        within = {path for path in texts if "." in path}  # pyarrow gives what lies within others no dictionary of several parts
        repeated = set(texts) - within
        largest = 1
        for group in range(plain.metadata.num_row_groups):
            row_group = plain.metadata.row_group(group)
            for column in map(row_group.column, range(row_group.num_columns)):
                if column.total_uncompressed_size > limits.most_expanded() or column.num_values > MAX_VALUES:
                    raise limits.too_large(file.name)
                if column.total_uncompressed_size >= WRITTEN_OUT * column.num_values:
                    repeated.discard(column.path_in_schema)
                if column.path_in_schema in within:
                    largest = max(largest, column.total_uncompressed_size)
    # A value of such a column may be as long as all of them, and every row of a batch may have it.
    together = min(TOGETHER, max(FEWEST, MOST_TOGETHER // largest)) if within else TOGETHER
    with pq.ParquetFile(file.path, read_dictionary=sorted(repeated), pre_buffer=False) as source:
        chosen = columns(source.schema_arrow)
        for group in range(source.metadata.num_row_groups):
            yield from source.iter_batches(together, row_groups=[group], columns=chosen, use_threads=False)


def expanded_size(array: pa.Array) -> int:
    """Return the bytes that an array would take without dictionaries, as near as matters."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        if pa.types.is_nested(kind.value_type) or not _is_text(kind.value_type):
            return int(array.nbytes) + len(array) * int(array.dictionary.nbytes) // max(1, len(array.dictionary))
        lengths = pc.fill_null(pc.binary_length(array.dictionary), 0)
        places = array.indices.drop_null().to_numpy()
        return 4 * len(array) + int(np.asarray(lengths)[places].sum())
    if pa.types.is_struct(kind):
        return sum(map(expanded_size, array.flatten()))
    if pa.types.is_map(kind):
        return expanded_size(array.keys) + expanded_size(array.items)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return 4 * len(array) + expanded_size(array.flatten())
    return int(array.nbytes)


def _plain(array: pa.Array) -> pa.Array:
    """Return a column without its dictionary, and text as strings of one kind."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    is_other_text = pa.types.is_large_string(array.type) or pa.types.is_string_view(array.type)
    return array.cast(pa.string()) if is_other_text else array


def _is_text(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind)
    )


def check_names(file: InputFile, names: Sequence[str]) -> None:
    """Raise `CorpusError` where a table has too many columns, or two of one name."""
    if len(names) > MAX_COLUMNS:
        raise CorpusError(
            f"There are {len(names):,} columns.", remedy="Drop a table with a column per language.", file=file.name, line=1
        )
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise CorpusError(f"Two columns are called '{twice}'.", remedy="Give each column its own name.", file=file.name, line=1)
