"""What readers of tasks pass on: pieces of files, and rows with the place where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

PartName = Literal["", "train", "dev", "test"]
"""What a file or a row says of itself; "" says nothing."""


@dataclass(frozen=True)
class Piece:
    """The rows of one language in one file. All sequences have the same length."""

    name: str
    """The language as the source calls it."""
    file: str
    part: PartName
    ids: Sequence[str]
    texts: Sequence[str | None]
    pairs: Sequence[str | None] | None
    labels: Sequence[str]
    lines: Sequence[int]


@dataclass(frozen=True)
class Row:
    """One example in one language, and where it stands."""

    text: str
    pair: str | None
    label: str
    file: str
    line: int


Rows = dict[str, dict[str, Row]]
"""Tag → row id → row; the ids in the source's order."""
