"""Scores of words paired by different dictionaries or word alignments: which of them may be read together.

Of one pair of languages a figure reads one dictionary's alone, and of all pairs together a set in which none has two.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from isogloss.backend.store import scores, told_apart

if TYPE_CHECKING:
    from isogloss.backend.experiments.relations.cubes import Files

Together = tuple[str, ...]
"""Ids of dictionaries and word alignments."""
Key = tuple[str, str]
"""A corpus and a variant, as scores have them."""


@lru_cache(maxsize=64)
def sets_of(files: Files) -> dict[Key, tuple[Together, ...]]:
    """Return the sets of each corpus and variant with more than one: what was computed first for each pair is the first.

    They do not change with what is computed later.
    """
    pairs_of_dictionaries: dict[Key, dict[str, set[frozenset[str]]]] = {}
    for path, _ in files:
        for file in scores.known([path]):
            for ends, dictionary in told_apart.dictionaries(file.provenance).items():
                key = str(file.provenance["corpus"]), str(variant_as_told(str(file.provenance["variant"]), file))
                pairs_of_dictionaries.setdefault(key, {}).setdefault(dictionary, set()).add(frozenset(ends))
    divided = {key: _divide(dictionaries) for key, dictionaries in pairs_of_dictionaries.items()}
    return {key: sets for key, sets in divided.items() if len(sets) > 1}


def variant_as_told(variant: str | None, file: scores.ShardFile, metric: str = "") -> str | None:
    """Return a variant of a file's rows with what its footer says besides, of this measure."""
    told = told_apart.more_of_baseline if metric.endswith(told_apart.ON_ALL) else told_apart.more
    more = told(file.path.parent.name, file.provenance)
    return "/".join(filter(None, (variant, more))) if more else variant


def _divide(pairs: dict[str, set[frozenset[str]]]) -> tuple[Together, ...]:
    """Put each dictionary, in their order, into the first set that has none of its pairs yet."""
    sets: list[tuple[list[str], set[frozenset[str]]]] = []
    for dictionary, dictionary_pairs in pairs.items():
        for together, taken in sets:
            if not taken & dictionary_pairs:
                together.append(dictionary)
                taken |= dictionary_pairs
                break
        else:
            sets.append(([dictionary], set(dictionary_pairs)))
    return tuple(tuple(together) for together, _ in sets)
