"""Which pairs of languages are compared: all of some languages, those of one with all others, or a list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from isogloss.backend.errors import SpecError, did_you_mean
from isogloss.backend.experiments.checkpoint_scores import Pair


def with_language(tag: str, languages: Iterable[str]) -> list[Pair]:
    """Return the pairs of one language with all others, such as an English-centric set."""
    return [(min(tag, other), max(tag, other)) for other in languages if other != tag]


def in_order(pairs: tuple[Pair, ...] | None, languages: Sequence[str]) -> tuple[Pair, ...] | None:
    """Return the pairs in alphabetical order, each once; None where they are all of `languages`, which are sorted.

    Raises ValueError for a language with itself and for one that is not among `languages` (where any are given).
    """
    if pairs is None:
        return None
    for pair in pairs:
        if pair[0] == pair[1]:
            raise ValueError(f"'{pair[0]}' with itself is no pair of languages")
        for tag in pair:
            if languages and tag not in languages:
                raise ValueError(f"'{tag}' of the pair {pair[0]}:{pair[1]} is not among the languages. Choose it there too")
    found = tuple(sorted({(min(pair), max(pair)) for pair in pairs}))
    return None if found == tuple(combinations(languages, 2)) else found


def typed(text: str, languages: Sequence[str]) -> list[Pair] | None:
    """Return the pairs of `languages` that `text` names by commas: two tags joined by a colon, or one for all its pairs.

    None where it names none. Raises `SpecError` for a language that is not among them.
    """
    pairs: list[Pair] = []
    for part in filter(None, (each.strip() for each in text.split(","))):
        tags = [tag.strip() for tag in part.split(":")]
        for tag in tags:
            if tag not in languages:
                raise SpecError(f"--pairs: '{tag}' is not among the languages. {did_you_mean(tag, languages)}")
        if len(tags) > 2:
            raise SpecError(f"--pairs: '{part}' is no pair of languages. Write two tags joined by a colon, such as en:de.")
        pairs += with_language(tags[0], languages) if len(tags) == 1 else [(tags[0], tags[1])]
    return pairs or None
