"""Values of JSON that strangers wrote: each is what it should be, or nothing."""

from __future__ import annotations

import math
from typing import Any

from isogloss.backend.corpora.shared.inputs import printable
from isogloss.backend.errors import CorpusError

LONGEST = 200


def table(value: Any) -> dict[str, Any]:
    """Return an object of JSON; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def rows(value: Any) -> list[dict[str, Any]]:
    """Return the objects in an array of JSON; none for anything else."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def text(value: Any) -> str:
    """Return a string as it may be shown; an empty one for anything else."""
    return printable(value.strip())[:LONGEST] if isinstance(value, str) else ""


def number(value: Any) -> float | None:
    """Return a finite number; None for anything else, also for a number written as text."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def value_of(value: Any) -> float:
    """Return a finite number; nan for anything else, to be counted as lost."""
    found = number(value)
    return math.nan if found is None else found


def integer(value: Any) -> int | None:
    """Return a whole number that is not negative; None for anything else."""
    found = number(value)
    return int(found) if found is not None and found >= 0 and found == int(found) else None


def not_utf8(content: bytes, at: int, file: str) -> CorpusError:
    """Return what is said of a file whose byte at `at`, from 0, is of another encoding."""
    return CorpusError("The file is not UTF-8.", remedy="Save it as UTF-8.", file=file, line=content.count(b"\n", 0, at) + 1)
