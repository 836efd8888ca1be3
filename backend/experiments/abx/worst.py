"""Pairs of languages in a list, the worst first, each with how far it moved since the checkpoint before."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

from isogloss.backend.metrics.intervals import difference_ends
from isogloss.backend.recipe_mark import in_recipes

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

    A change's interval is the widest that it can have (`difference_ends`): of both scores the same sentences are drawn, and how
    their errors move together is not kept.
    """
    now, then = _rows_of(frame, checkpoint), _rows_of(frame, before)
    place = np.searchsorted(then.index, now.index).clip(max=max(len(then) - 1, 0))
    has = then.index.take(place) == now.index if len(then) else np.zeros(len(now), bool)
    for score in SCORES:
        names = [f"{score}{bound}" for bound in ("", "_low", "_high")]
        here = tuple(now[name].to_numpy(np.float64) for name in names)
        earlier = tuple(np.full(len(now), np.nan) for _ in names)
        for values, name in zip(earlier, names, strict=True):
            values[has] = then[name].to_numpy(np.float64)[place[has]]
        now[f"{score}_change"] = here[0] - earlier[0]
        now[f"{score}_change_low"], now[f"{score}_change_high"] = difference_ends(here, earlier)
    column = "meaning_change" if by == "change" else by
    ordered = now.sort_values(column, ascending=by != "language", kind="stable", na_position="last")
    return ordered[COLUMNS].reset_index(drop=True)


def _rows_of(frame: pd.DataFrame, checkpoint: str | None) -> pd.DataFrame:
    """Return the first row of each pair of a checkpoint, numbered and in order by their tags; none without a checkpoint."""
    own = (frame["checkpoint"] == (checkpoint or "")).to_numpy(bool)
    ends, tags = pd.factorize(pd.concat([frame[end] for end in PAIR]), sort=True)
    code = (ends[: len(frame)] * len(tags) + ends[len(frame) :])[own]
    codes, first = np.unique(code, return_index=True)
    return frame[frame.columns.intersection(COLUMNS)].take(np.flatnonzero(own)[first]).set_axis(codes)
