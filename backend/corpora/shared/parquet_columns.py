"""Columns of a Parquet file. One of some kilobytes may hold gigabytes: what its reader's process may take ends it (`apart`)."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from isogloss.backend.corpora.shared import limits
from isogloss.backend.corpora.shared.cells import Cells
from isogloss.backend.corpora.shared.inputs import InputFile, printable
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TIMES = re.compile("time|date|duration")
TOGETHER = 1 << 12
MAX_COLUMNS = 2_000


def read(file: InputFile) -> tuple[dict[str, Cells], int]:
    """Return a file's columns and its number of rows. Raises `CorpusError` where the file is damaged."""
    with readable(file, "Parquet"), pq.ParquetFile(file.path, pre_buffer=False) as source:
        names = list(map(printable, source.schema_arrow.names))
        check_names(file, names)
        chunks: list[list[pa.Array]] = [[] for _ in names]
        for batch in source.iter_batches(TOGETHER, use_threads=False):
            batch.validate(full=True)  # Arrow takes a file's offsets and indices at their word: a hostile one ends the process
            for kept, column in zip(chunks, batch.columns, strict=True):
                kept.append(_plain(column))
                if TIMES.search(str(column.type)):
                    column.to_pylist()  # in a zone that nobody knows, or beyond the year 9999, they are nothing to Python
    columns = {name: Cells(kept) for name, kept in zip(names, chunks, strict=True)}
    return columns, sum(map(len, chunks[0])) if chunks else 0


@contextmanager
def readable(file: InputFile, container: str) -> Iterator[None]:
    """Raise `CorpusError` for what pyarrow cannot read: it raises many kinds, and `OSError` for damage, too."""
    try:
        yield
    except CorpusError:
        raise
    except MemoryError:
        raise limits.too_large(file.name) from None
    except (pa.ArrowException, OSError, ValueError, OverflowError, KeyError, NotImplementedError) as error:
        raise CorpusError(
            f"The file is damaged, or not {container}.", remedy="Write it again with pyarrow or pandas.", file=file.name
        ) from error


def _plain(array: pa.Array) -> pa.Array:
    """Return a column without its dictionary, and text as strings of one kind."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    is_other_text = pa.types.is_large_string(array.type) or pa.types.is_string_view(array.type)
    return array.cast(pa.string()) if is_other_text else array


def check_names(file: InputFile, names: Sequence[str]) -> None:
    """Raise `CorpusError` where a table has too many columns, or two of one name."""
    if len(names) > MAX_COLUMNS:
        raise CorpusError(
            f"There are {len(names):,} columns.", remedy="Drop a table with a column per language.", file=file.name, line=1
        )
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise CorpusError(f"Two columns are called '{twice}'.", remedy="Give each column its own name.", file=file.name, line=1)
