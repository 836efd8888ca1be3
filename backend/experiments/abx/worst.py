"""Pairs of languages in a list, the worst first, each with how far it moved since the checkpoint before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike, NDArray

By = Literal["meaning", "language", "change"]
"""Lowest meaning discrimination, highest language discrimination, or greatest fall of meaning discrimination first."""
SCORES = ("meaning", "language")
PAIR = ["source", "target"]
COLUMNS = [
    *PAIR,
    "n",
    *(f"{score}{part}" for score in SCORES for part in ("", "_low", "_high", "_change", "_change_low", "_change_high")),
]


@in_recipes
def worst_first(frame: pd.DataFrame, *, checkpoint: str, before: str | None = None, by: By = "meaning") -> pd.DataFrame:
    """List the pairs of one checkpoint, the worst first by `by`; pairs without that number come last, ties by their tags.

    `frame` is what `queries.pairs` returns of `checkpoint` and of the one `before` it (fingerprints; None: there is none).
    Returns `COLUMNS`: source, target, n (sentences), and for meaning and language the score with its 95% interval and its
    change, score − score before (−1 to 1), nan where the pair lacks one of them.

    A change's interval is the widest that it can have: of both scores the same sentences are drawn, how their errors move
    together is not kept, and a difference's standard error is at most the sum of both. Halves of intervals add up.
    """
    now = frame[frame["checkpoint"] == checkpoint].drop_duplicates(PAIR)
    then = frame[frame["checkpoint"] == before].drop_duplicates(PAIR)
    both = now.merge(then, on=PAIR, how="left", suffixes=("", "_before"))
    for score in SCORES:
        (value, half), (earlier, its_half) = (_with_half(both, score, of) for of in ("", "_before"))
        change, widest = value - earlier, half + its_half
        both[f"{score}_change"] = change
        both[f"{score}_change_low"] = np.clip(change - widest, -1, 1)
        both[f"{score}_change_high"] = np.clip(change + widest, -1, 1)
    column = "meaning_change" if by == "change" else by
    ordered = both.sort_values([column, *PAIR], ascending=[by != "language", True, True], na_position="last")
    return ordered[COLUMNS].reset_index(drop=True)


def half_of(value: ArrayLike, low: ArrayLike, high: ArrayLike) -> NDArray[np.float64]:
    """Return half of each interval: an interval that was cut off at 0 or at 1 is whole on its other side."""
    middle, least, most = (np.asarray(each, np.float64) for each in (value, low, high))
    below, above = middle - least, most - middle
    whole = np.where(below >= above, below, above)
    known = (least > 0) | (most < 1) | np.isnan(whole)
    return np.where(known, whole, 1.0)  # cut off at both: it may be of any width


def _with_half(both: pd.DataFrame, score: str, of: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    value, low, high = (both[f"{score}{bound}{of}"].to_numpy(np.float64) for bound in ("", "_low", "_high"))
    return value, half_of(value, low, high)
