"""Pairs of languages in a list, the worst first, each with how far it moved since the checkpoint before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pandas as pd

By = Literal["meaning", "language", "change"]
"""Lowest meaning discrimination, highest language discrimination, or greatest fall of meaning discrimination first."""
SCORES = ("meaning", "language")
PAIR = ["source", "target"]
COLUMNS = [
    *PAIR,
    "n",
    *(f"{score}{part}" for score in SCORES for part in ("", "_low", "_high", "_change", "_change_low", "_change_high")),
]


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
        change = both[score].astype(float) - both[f"{score}_before"].astype(float)
        half = _half(both, score) + _half(both, score, "_before")
        both[f"{score}_change"] = change
        both[f"{score}_change_low"], both[f"{score}_change_high"] = (change - half).clip(-1, 1), (change + half).clip(-1, 1)
    column = "meaning_change" if by == "change" else by
    ordered = both.sort_values([column, *PAIR], ascending=[by != "language", True, True], na_position="last")
    return ordered[COLUMNS].reset_index(drop=True)


def half_of(value: pd.Series, low: pd.Series, high: pd.Series) -> pd.Series:
    """Return half of each interval: an interval that was cut off at 0 or at 1 is whole on its other side."""
    whole = (value - low).where(value - low >= high - value, high - value)
    return whole.where((low > 0) | (high < 1) | whole.isna(), 1.0)  # cut off at both: it may be of any width


def _half(both: pd.DataFrame, score: str, of: str = "") -> pd.Series:
    return half_of(*(both[f"{score}{bound}{of}"].astype(float) for bound in ("", "_low", "_high")))
