"""What the files under a figure say of their rows: languages, pooling, protocol, seeds, days."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from isogloss.backend.boards.provenance import POOLED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def languages_of(footers: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return the languages that files name."""
    languages: set[str] = set()
    for said in footers:
        pair = said["pair"] if isinstance(said.get("pair"), dict) else {}
        for name in ("languages", "sources", "targets", "pairs", "source", "target"):
            for each in [*as_list(said.get(name)), *as_list(pair.get(name))]:
                several = each[:2] if isinstance(each, list) else [each]
                languages |= {str(one).rpartition("/")[2] for one in several}
    return {each for each in languages if re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", each) and each not in ("none",)}


def pooling_of(footers: Iterable[Mapping[str, Any]], protocol: Iterable[str]) -> tuple[str, ...]:
    """Return how tokens were pooled, where files or the protocol say it."""
    found = {
        str(each) for said in footers for each in (said.get("pooling"), (said.get("options") or {}).get("pooling")) if each
    }
    return tuple(sorted(found or {part for each in protocol for part in parts_of_variant(each) if part in POOLED}))


def prefixes_of(protocol: Iterable[str]) -> tuple[str, ...]:
    """Return what was set before each text."""
    parts = {part for each in protocol for part in parts_of_variant(each)}
    return tuple(sorted(part[7:] for part in parts if part.startswith("prefix ")))


def protocols_of(footers: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return how fine-tuning was done, where scores name no variant."""
    kept = ("algorithm", "learning_rate", "epochs", "batch", "protocol", "game")
    protocols = {
        ", ".join(f"{name.replace('_', ' ')} {options[name]}" for name in kept if name in options)
        for said in footers
        if isinstance(options := said.get("options"), dict)
    }
    return sorted(protocols - {""})


def seeds_of(said: Mapping[str, Any]) -> list[int]:
    """Return the seeds that a file names."""
    options = said.get("options") if isinstance(said.get("options"), dict) else {}
    return [int(each) for own in (said, options or {}) for name in ("seed", "seeds") for each in as_list(own.get(name))]


def parts_of_variant(variant: str) -> list[str]:
    """Return the parts of a variant; a slash between quotes is the prefix's own."""
    return [part for part in re.findall(r'(?:"(?:\\.|[^"\\])*"|[^/"])+', variant) if part]


def in_a_range(numbers: Iterable[Any]) -> str:
    """Return the least and the greatest number: `688–1,268`."""
    known = sorted({int(each) for each in numbers if each})
    return "" if not known else f"{known[0]:,}" if len(known) == 1 else f"{known[0]:,}–{known[-1]:,}"


def days_of(days: Iterable[str]) -> str:
    """Return the first and the last day."""
    known = sorted(set(days))
    return "" if not known else known[0] if len(known) == 1 else f"{known[0]} to {known[-1]}"


def as_list(value: Any) -> list[Any]:
    """Return an entry that may be one value, none or several as a list."""
    return [] if value is None else list(value) if isinstance(value, list | tuple) else [value]
