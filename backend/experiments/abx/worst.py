"""Pairs of languages in a list, the worst first, each with how far it moved since the checkpoint before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from isogloss.backend.metrics.intervals import difference_ends
from isogloss.backend.recipe_mark import in_recipes

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


@in_recipes
def worst_first(frame: pd.DataFrame, *, checkpoint: str, before: str | None = None, by: By = "meaning") -> pd.DataFrame:
    """List the pairs of one checkpoint, the worst first by `by`; pairs without that number come last, ties by their tags.

    `frame` is what `queries.pairs` returns of `checkpoint` and of the one `before` it (fingerprints; None: there is none).
    Returns `COLUMNS`: source, target, n (sentences), and for meaning and language the score with its 95% interval and its
    change, score − score before (−1 to 1), nan where the pair lacks one of them.

    A change's interval is the widest that it can have (`difference_ends`): of both scores the same sentences are drawn, and how
    their errors move together is not kept.
    """
    now = frame[frame["checkpoint"] == checkpoint].drop_duplicates(PAIR)
    then = frame[frame["checkpoint"] == before].drop_duplicates(PAIR)
    both = now.merge(then, on=PAIR, how="left", suffixes=("", "_before"))
    for score in SCORES:
        here, earlier = (
            tuple(both[f"{score}{bound}{of}"].to_numpy(np.float64) for bound in ("", "_low", "_high")) for of in ("", "_before")
        )
        both[f"{score}_change"] = here[0] - earlier[0]
        both[f"{score}_change_low"], both[f"{score}_change_high"] = difference_ends(here, earlier)
    column = "meaning_change" if by == "change" else by
    ordered = both.sort_values([column, *PAIR], ascending=[by != "language", True, True], na_position="last")
    return ordered[COLUMNS].reset_index(drop=True)
