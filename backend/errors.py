"""Errors whose message a person can act on.

Every message says what is wrong, where (file and line when there is one) and what to do about it. Pages and the command line
show `str(error)` as it is; any other exception is a bug in Isogloss.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def on_one_line(text: str) -> str:
    """Return a text with a mark for each character that cannot be printed, a line's end among them."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


class IsoglossError(Exception):
    """Something the user or the operator can put right. The message is one or two plain sentences.

    Whatever it quotes of a file cannot break the line, hide in it or be unfit for a terminal.
    """

    def __init__(self, message: str) -> None:
        super().__init__(on_one_line(message))


class CorpusError(IsoglossError):
    """A corpus that cannot be read as it is.

    `file` is the name the user knows it by (never a server path) and `line` counts from 1.
    """

    def __init__(self, problem: str, *, remedy: str, file: str | None = None, line: int | None = None) -> None:
        self.problem, self.remedy, self.file, self.line = problem, remedy, file, line
        where = "" if file is None else f"{file}: " if line is None else f"{file}, line {line}: "
        super().__init__(f"{where}{problem} {remedy}")


class ModelError(IsoglossError):
    """A model or checkpoint that cannot be found, loaded or used."""


class SpecError(IsoglossError):
    """An experiment that cannot be run as it was asked for."""


class StoreError(IsoglossError):
    """A workspace that cannot be read or written (full disk, read-only folder, damaged file)."""


def did_you_mean(value: str, allowed: Iterable[str]) -> str:
    """Return a sentence naming the nearest allowed value, or the first few allowed values where none is near."""
    options = sorted(allowed)
    if near := get_close_matches(value, options, n=1, cutoff=0.6):
        return f"Did you mean '{near[0]}'?"
    shown = ", ".join(options[:8]) + (", …" if len(options) > 8 else "")
    return f"Choose one of: {shown}."
