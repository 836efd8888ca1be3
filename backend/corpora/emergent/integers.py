"""Integers as text: in brackets or not, separated by white space, commas or semicolons."""

from __future__ import annotations

import re

INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")


def is_integer_text(text: str) -> bool:
    """Whether a text is integers alone: separated by white space, commas or semicolons, in brackets or not."""
    words = words_of_integers(text)
    return bool(words) and all(map(INTEGER.fullmatch, words))


def words_of_integers(text: str) -> list[str]:
    """What stands between the separators, whether it is an integer or not."""
    text = text.strip()
    if text[:1] == "[" and text[-1:] == "]":  # as pandas writes lists, and arrays of numpy, into CSV
        text = text[1:-1]
    return text.replace(",", " ").replace(";", " ").split()
