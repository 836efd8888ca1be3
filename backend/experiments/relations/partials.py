"""The correlation of two measures beside what is left of it where others are held fixed: is it more than what they share?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from isogloss.backend.experiments.relations.correlations import STATISTICS, points
from isogloss.backend.experiments.relations.cubes import score_files
from isogloss.backend.experiments.relations.tables import join
from isogloss.backend.metrics import permutation
from isogloss.backend.metrics.correlation import partial_correlation
from isogloss.backend.metrics.ranks import ranks as ranks_of
from isogloss.backend.recipe_mark import depends_on, in_recipes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from isogloss.backend.experiments.relations.reading import Question
    from isogloss.backend.experiments.relations.tables import Joined

    Floats = NDArray[np.float64]

COLUMNS = ["statistic", "fixed", "value", "low", "high", "p", "n"]


@in_recipes
@depends_on(score_files)
def beside(question: Question, workspaces: Sequence[Path], x: str, y: str) -> pd.DataFrame:
    """Return the correlations of x and y, plain and with all other measures of the question held fixed: `COLUMNS`.

    Both over the points that have every measure. `fixed` is what is held fixed, "" for the plain one; p is from permuting
    languages: of x where it is plain, else of what the others leave of x (MRQAP, double semi-partialling).
    """
    return of_joined(join(question, workspaces), x, y)


def of_joined(values: Joined, x: str, y: str) -> pd.DataFrame:
    """As `beside`, of arrays at hand."""
    others = [name for name in values.arrays if name not in (x, y)]
    masked = replace(values, arrays=dict(zip((x, y, *others), values.stacked(x, y, *others), strict=True)))
    rows = []
    for statistic in STATISTICS:
        ranks = statistic == "Spearman"
        for held in ([], others):
            flat = [points(masked, masked.arrays[name]) for name in (x, y, *held)]
            plain = partial_correlation(flat[0], flat[1], flat[2:], ranks=ranks)
            fixed = ", ".join(held)
            p = _permuted(masked, [x, y, *held], ranks=ranks)
            rows.append(
                (statistic, fixed, plain.value, plain.low, plain.high, p if np.isfinite(plain.value) else np.nan, plain.n)
            )
    return pd.DataFrame(rows, columns=COLUMNS)


def _permuted(masked: Joined, names: Sequence[str], *, ranks: bool) -> float:
    arrays = masked.shared(*names)
    if not arrays[0].size:
        return float("nan")
    if ranks:
        arrays = [_ranked(each) for each in arrays]
    x, y, *held = arrays
    if not held:
        return permutation.correlation(x, y, pairs=masked.pairs).p
    named = {"x": x} | {str(place): each for place, each in enumerate(held)}
    return permutation.regression(y, named, pairs=masked.pairs, of=["x"])["x"].p


def _ranked(values: Floats) -> Floats:
    known = np.isfinite(values)
    found = np.full(values.shape, np.nan)
    found[known] = ranks_of(values[known][None])[0]
    return found
