"""What the utterances of an emergent corpus mean: a vector of attributes each, kept beside them as text."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from isogloss.backend import parquet
from isogloss.backend.corpora.shared import kept
from isogloss.backend.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

TABLE = "meanings.parquet"
"""Beside the table of utterances, a row for each of them, in their order."""
MOST_ATTRIBUTES = 1_000
USUAL = re.compile(
    r"(^|.*[_ ])(meanings?|attributes?|targets?|objects?|inputs?|concepts?|features?)([_ ]?[0-9]+)?$", re.IGNORECASE
)
"""Usual names of fields and columns that hold meanings: proposed, never taken unasked."""


@dataclass(frozen=True, eq=False)
class Meanings:
    """A value of each attribute for each utterance. Numbers are text, too: `3`, `0.25`.

    Raises `ValueError` where names and table do not fit, which is a mistake of their maker, never of a file.
    """

    names: tuple[str, ...]
    """Of the attributes, as their source has them; for people to see."""
    table: pa.Table
    """Columns `0`, `1` … of text without nulls, one an attribute; a row an utterance."""

    def __post_init__(self) -> None:
        if self.table.schema.remove_metadata() != _schema(len(self.names)) or not self.names:
            raise ValueError("meanings have a column of text for each of their attributes, one at least")
        if any(column.null_count for column in self.table.columns):
            raise ValueError("every utterance has a value of every attribute")

    @property
    def id(self) -> str:
        """24 hex digits of the attributes' names and values."""
        return kept.content_id(self.table, self.table.column_names, json.dumps(self.names).encode("ascii"))

    def row(self, place: int) -> tuple[str, ...]:
        """Return the values that one utterance means."""
        return tuple(str(column[place]) for column in self.table.columns)

    def codes(self) -> NDArray[np.int64]:
        """Return each attribute's values numbered from 0: [utterances, attributes]."""
        columns = [pc.dictionary_encode(column.combine_chunks()).indices.to_numpy() for column in self.table.columns]
        return np.stack(columns, axis=1).astype(np.int64)

    def numbers(self) -> NDArray[np.float64] | None:
        """Return the values as numbers [utterances, attributes]; None where any is none."""
        try:
            columns = [pc.cast(column.combine_chunks(), pa.float64()).to_numpy() for column in self.table.columns]
        except pa.ArrowInvalid:
            return None
        found = np.stack(columns, axis=1)
        return found if np.isfinite(found).all() else None


def of_columns(names: tuple[str, ...], columns: Sequence[pa.Array]) -> Meanings:
    """Return the meanings of columns of text, one for each name."""
    return Meanings(names, pa.table(list(columns), schema=_schema(len(names))))


def write(meanings: Meanings, folder: Path) -> None:
    """Keep them in a corpus' folder. Raises `StoreError` where it cannot be written."""
    parquet.write(folder / TABLE, meanings.table, {"names": list(meanings.names)})


def read(folder: Path, meanings_id: str) -> Meanings | None:
    """Return the meanings that a corpus' folder has, or None where they are missing, damaged or not those of that id."""
    try:
        table = parquet.read(folder / TABLE)
        told: dict[str, Any] = json.loads((table.schema.metadata or {}).get(parquet.METADATA, b"{}"))
        found = Meanings(tuple(told["names"]), table.replace_schema_metadata())
    except (OSError, StoreError, pa.ArrowException, ValueError, KeyError):
        return None
    return found if found.id == meanings_id else None


def _schema(attributes: int) -> pa.Schema:
    return pa.schema([(str(place), pa.string()) for place in range(attributes)])
