"""Ranks with their intervals, and groups of models that cannot be told apart. No torch: pages may import this."""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_letters
from typing import TYPE_CHECKING, Literal

import numpy as np

from isogloss.backend.metrics.ranking.apart import LEVEL

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Ints = NDArray[np.intp]

Better = Literal["higher", "lower", "neither"]
"""Which value is rank 1; the higher where neither is better."""


@dataclass(frozen=True, eq=False)
class Ranks:
    """Each model's rank, 1 the best, and the interval that holds its true rank: arrays [models].

    All intervals hold at once with 95%: `low` is one more than the models that are better for certain, `high` all less those
    that are worse for certain. Models that are equal may have any of the ranks they share. Equal values have equal ranks.
    """

    rank: Ints
    low: Ints
    high: Ints


def ranks(value: ArrayLike, p_corrected: ArrayLike, better: Better = "higher") -> Ranks:
    """Return the ranks of models by `value` [models], told apart where `p_corrected` [models, models] is at most .05.

    Source: Mogstad, Romano, Shaikh & Wilhelm 2024, section 3 (simultaneous confidence sets for all ranks).
    """
    own = np.asarray(value, np.float64) * (-1 if better == "lower" else 1)
    above = own[None, :] > own[:, None]  # [model, other]: the other is better
    apart = np.asarray(p_corrected, np.float64) <= LEVEL
    return Ranks(
        1 + above.sum(axis=1),
        1 + (above & apart).sum(axis=1),
        len(own) - (above.T & apart).sum(axis=1),
    )


def letters(order: ArrayLike, p_corrected: ArrayLike) -> list[str]:
    """Return the letters of each model: two share a letter where they cannot be told apart, and nowhere else.

    `order` [models] has the places of the models, the best first: its group is a. Letters in a row are a range: abcd is a–d.
    After z come A to Z, then a2. Source: Piepho 2004 (the compact letter display); the groups are found greedily, not the
    fewest there are.
    """
    best_first = [int(place) for place in np.asarray(order)]
    alike = ~(np.asarray(p_corrected, np.float64) <= LEVEL)
    groups = _groups(alike[np.ix_(best_first, best_first)])
    own: list[list[int]] = [[] for _ in best_first]
    for letter, group in enumerate(groups):
        for place in group:
            own[best_first[place]].append(letter)
    return [_ranges(each) for each in own]


def _groups(alike: NDArray[np.bool_]) -> list[list[int]]:
    """Return sets of places, all alike within one, that have every two alike in one of them: the first ones first."""
    open_pairs = np.triu(alike, 1)
    found: list[list[int]] = []
    for first in range(len(alike)):
        alone = not any(first in group for group in found)
        while open_pairs[first].any() or alone:
            group = np.zeros(len(alike), bool)
            group[first], alone = True, False
            if open_pairs[first].any():
                group[int(np.argmax(open_pairs[first]))] = True
            for place in range(len(alike)):
                if not group[place] and alike[place][group].all():
                    group[place] = True
            open_pairs &= ~np.outer(group, group)
            found.append(np.nonzero(group)[0].tolist())
    return sorted(found)


def _ranges(numbers: list[int]) -> str:
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return "".join(
        f"{_letter(part[0])}–{_letter(part[-1])}" if len(part) > 2 else "".join(map(_letter, part)) for part in parts
    )


def _letter(number: int) -> str:
    again, place = divmod(number, len(ascii_letters))
    return ascii_letters[place] + (str(again + 1) if again else "")
