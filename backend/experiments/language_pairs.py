"""Which pairs of languages are compared: all of some languages, those of one with all others, or a list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any

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


def of(languages: Sequence[str], pairs: tuple[Pair, ...] | None) -> tuple[Pair, ...]:
    """Return the pairs of a spec, all of its `languages` where it names none."""
    return tuple(combinations(languages, 2)) if pairs is None else pairs


@lru_cache(maxsize=4)
def as_lists(languages: tuple[str, ...], pairs: tuple[Pair, ...] | None) -> list[list[str]]:
    """Return `of` as JSON has it, not to be changed: one object for all checkpoints, which is then written out once."""
    return list(map(list, of(languages, pairs)))


def there(provenance: Mapping[str, Any], languages: Sequence[str]) -> set[Pair]:
    """Return the pairs of a file of scores, by its `provenance`, that rest on the sentences which all of `languages` share.

    In a corpus with gaps, other languages leave other sentences: only a complete one may serve a subset.
    """
    have, pairs = provenance.get("languages", ()), provenance.get("pairs")
    if have != list(languages) and not provenance.get("complete"):
        return set()
    return set(combinations(have, 2)) if pairs is None else {(one, other) for one, other in pairs}


def has_all(provenance: Mapping[str, Any], languages: Sequence[str], pairs: tuple[Pair, ...] | None) -> bool:
    """Return whether a file of scores has these pairs of `languages`, or all (None), on the sentences that they share."""
    have = provenance.get("languages", ())
    alike = have == list(languages) or provenance.get("complete")
    if pairs is None and provenance.get("pairs") is None and alike:
        return set(have).issuperset(languages)  # without laying out 20,706 pairs of 204
    return there(provenance, languages).issuperset(of(languages, pairs))


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
