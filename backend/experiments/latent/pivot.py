"""The language that dictionaries share, through which words of all of them are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.corpora.dictionaries.library import DictionaryEntry


def shared(entries: Sequence[DictionaryEntry]) -> str:
    """Return the language that all dictionaries have: of a single one, its first. Raises `SpecError` where there is none."""
    common = set.intersection(*({each.source, each.target} for each in entries))
    found = [tag for tag in (entries[0].source, entries[0].target) if tag in common]
    if not found:
        raise SpecError("The dictionaries share no language, through which words of all are the same: choose those of one.")
    return found[0]


def other_end(entry: DictionaryEntry, pivot: str) -> str:
    """Return a dictionary's language beside the pivot. Raises `SpecError` where it has no pivot."""
    ends = [entry.source, entry.target]
    if pivot not in ends:
        raise SpecError(f"'{entry.name}' is of {entry.source} and {entry.target}, not of the pivot {pivot}.")
    ends.remove(pivot)
    return ends[0]
