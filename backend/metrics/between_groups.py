"""Do groups of languages differ in a measure? The share of its variance that lies between groups, beside permuted languages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.metrics.orders import PERMUTATIONS, orders
from isogloss.backend.metrics.permutation import ROUNDING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike


@dataclass(frozen=True)
class BetweenGroups:
    """η² of a measure over groups, and how often languages dealt out anew to groups of the same sizes reach it.

    All nan where it is not defined: fewer than two groups, no group of two languages, or equal values alone.
    """

    effect: float
    """η², 0 to 1: sum of squares between the groups' means over that of all values."""
    chance: float
    """Mean of η² over the permutations: many small groups have much by chance."""
    p: float
    n: int
    """Languages that have a value and a group."""
    groups: int
    amount: int
    """Orders compared, the given one among them."""
    exact: bool
    """Whether they are all there are."""


def between_groups(
    values: ArrayLike, groups: Sequence[str | None], *, amount: int = PERMUTATIONS, seed: int = 0
) -> BetweenGroups:
    """Return how much of the variance of `values` [languages] lies between `groups`, and its p from permuting languages.

    Languages without a value (nan) or a group (None) are left out. Raises ValueError where the two differ in length.
    Source: η² is Fisher's correlation ratio; permuting labels is Pitman's test (1938) of the analysis of variance.
    """
    given = np.asarray(values, np.float64)
    if given.shape != (len(groups),):
        raise ValueError(f"{len(groups)} groups do not fit values of shape {list(given.shape)}.")
    known = np.isfinite(given) & np.array([group is not None for group in groups], dtype=bool)
    own = given[known]
    names, place = np.unique([str(group) for group, has in zip(groups, known, strict=True) if has], return_inverse=True)
    centred = own - own.mean() if len(own) else own
    total = float(np.square(centred).sum())
    flat = total <= 1e-24 * max(float(np.square(own).sum()), 1e-300)
    if len(names) < 2 or len(names) == len(own) or flat:
        return BetweenGroups(np.nan, np.nan, np.nan, len(own), len(names), 0, exact=False)
    belongs = np.eye(len(names))[place]  # [languages, groups]
    every, exact = orders(len(own), amount, seed)
    found = np.square(centred[every] @ belongs) @ (1 / belongs.sum(axis=0)) / total
    reached = int((found >= found[0] - ROUNDING).sum())
    return BetweenGroups(float(found[0]), float(found.mean()), reached / len(every), len(own), len(names), len(every), exact)
