"""How strongly two measures go together at a unit, with intervals and p-values that know of shared languages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import pandas as pd

from isogloss.backend.experiments.relations import where
from isogloss.backend.experiments.relations.cubes import score_files
from isogloss.backend.experiments.relations.reading import Question
from isogloss.backend.experiments.relations.tables import join
from isogloss.backend.experiments.relations.where import LEAST, at_languages, languages_with_points
from isogloss.backend.metrics import permutation
from isogloss.backend.metrics.correlation import Correlation, pearson, spearman
from isogloss.backend.metrics.many_tests import benjamini_hochberg
from isogloss.backend.metrics.orders import MANY, PERMUTATIONS
from isogloss.backend.recipe_mark import depends_on, in_recipes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from isogloss.backend.experiments.relations.tables import Joined

    Floats = NDArray[np.float64]

Statistic = Literal["Pearson", "Spearman"]
STATISTICS: tuple[Statistic, ...] = get_args(Statistic)
LARGE = 10_000
"""Cells of a stack of matrices whose permutations would take a second."""
CORRECTED = "p_corrected"
"""The column of p as many tests leave it."""


@dataclass(frozen=True)
class Related:
    """A correlation, and its p from permuting languages (units, where these are no languages)."""

    statistic: Statistic
    plain: Correlation
    permuted: permutation.Permuted


def relate(values: Joined, x: str, y: str, amount: int = PERMUTATIONS) -> tuple[Related, Related]:
    """Pearson's and Spearman's correlation of two measures over all points that have both.

    Of a stack of more than 10,000 cells fewer permutations are compared: 199.
    """
    amount = amount if values.arrays[x].size <= LARGE else min(amount, MANY)
    flat = tuple(points(values, each) for each in values.stacked(x, y))
    a, b = values.shared(x, y)
    return (
        Related("Pearson", pearson(*flat), permutation.correlation(a, b, pairs=values.pairs, amount=amount)),
        Related("Spearman", spearman(*flat), permutation.correlation(a, b, pairs=values.pairs, ranks=True, amount=amount)),
    )


@in_recipes
@depends_on(score_files)
def overall(question: Question, workspaces: Sequence[Path], x: str, y: str) -> pd.DataFrame:
    """Return the correlations over all points, a row each: statistic, value, low, high (95%), p (by permuting languages), n."""
    rows = [{"statistic": each.statistic} | _numbers(each) for each in relate(join(question, workspaces), x, y)]
    return pd.DataFrame(rows, columns=["statistic", "value", "low", "high", "p", "n"])


@in_recipes
@depends_on(score_files)
def over(question: Question, workspaces: Sequence[Path], x: str, y: str) -> pd.DataFrame:
    """Return the correlations at each checkpoint, or layer, that the question pools over, two rows each.

    Columns: what is pooled over, statistic, value, low, high (95%, points as independent), p (by permuting languages), n.
    """
    values = join(question, workspaces)
    rows = []
    for place, key in enumerate(values.over):
        one = _at(values, place)
        for each in relate(one, x, y, MANY):
            rows.append({str(values.along): key, "statistic": each.statistic} | _numbers(each))
    return pd.DataFrame(rows, columns=[str(values.along), "statistic", "value", "low", "high", "p", "n"])


@in_recipes
@depends_on(score_files)
def everywhere(
    question: Question, workspaces: Sequence[Path], x: str, y: str, statistic: Statistic = "Pearson"
) -> pd.DataFrame:
    """Return the correlation of x at each layer of each checkpoint with y as it is read: where does x predict y?

    y stays the same everywhere, unless it is read at `each` checkpoint or layer: then it is that of x. A row a cell: checkpoint
    (fingerprint), layer, value, p (by permuting languages), n.
    """
    cells = where.cells(question, workspaces, x, y, ranks=statistic == "Spearman")
    return pd.DataFrame(cells, columns=["checkpoint", "layer", "value", "p", "n"])


@in_recipes
@depends_on(score_files)
def all_against_all(question: Question, workspaces: Sequence[Path], statistic: Statistic = "Pearson") -> pd.DataFrame:
    """Return the correlation of every two measures of the question: a row a pair (x, y), both ways: value, p (permuted), n."""
    values = join(question, workspaces)
    names = list(values.arrays)
    everything = np.stack([values.arrays[name] for name in names])
    rows = []
    for place, x in enumerate(names):
        ranks = statistic == "Spearman"
        others = everything[place + 1 :]
        if not len(others):
            break
        p = _permuted_with(values, everything[place], others, ranks=ranks)
        for y, own in zip(names[place + 1 :], p.tolist(), strict=True):
            a, b = values.stacked(x, y)
            plain = (spearman if ranks else pearson)(points(values, a), points(values, b))
            enough = plain.n >= LEAST
            numbers = {"value": plain.value if enough else np.nan, "p": own if enough else np.nan, "n": plain.n}
            rows += [{"x": x, "y": y} | numbers, {"x": y, "y": x} | numbers]
    return pd.DataFrame(rows, columns=["x", "y", "value", "p", "n"])


@in_recipes
def known(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `all_against_all` without the measures that have no correlation with any other, p corrected too.

    That is Benjamini & Hochberg's over all these tests; each stands in two rows, which changes nothing.
    """
    some = set(rows.loc[np.isfinite(rows["value"].to_numpy(np.float64)), "x"])
    kept = rows[rows["x"].isin(some) & rows["y"].isin(some)].reset_index(drop=True)
    return kept.assign(**{CORRECTED: benjamini_hochberg(kept["p"])})


def _permuted_with(values: Joined, a: Floats, others: Floats, *, ranks: bool) -> Floats:
    """Find p [others] of a with each, from permuting the languages that have a point with both: equal sets at once."""
    groups: dict[bytes, list[int]] = {}
    for place, each in enumerate(others):
        groups.setdefault(languages_with_points(values, np.isfinite(a) & np.isfinite(each)).tobytes(), []).append(place)
    p = np.full(len(others), np.nan)
    for key, places in groups.items():
        has = np.frombuffer(key, np.bool_)
        own, many = at_languages(values, a, has), at_languages(values, others[places], has)
        p[places] = permutation.correlations(own, many, pairs=values.pairs, ranks=ranks, amount=MANY).p
    return p


def _at(found: Joined, place: int) -> Joined:
    """Return what is joined at one place of the stack."""
    arrays = {name: values[place] for name, values in found.arrays.items()}
    return type(found)(found.unit, None, found.names, (), arrays, found.symmetric)


def points(found: Joined, values: np.ndarray) -> np.ndarray:
    """Return one number a point: of symmetric pairs one half."""
    if found.pairs and found.symmetric:
        values = np.where(np.triu(np.ones(values.shape[-2:], bool)), values, np.nan)
    return np.asarray(values[np.isfinite(values)])


def _numbers(each: Related) -> dict[str, object]:
    plain = each.plain
    return {"value": plain.value, "low": plain.low, "high": plain.high, "p": each.permuted.p, "n": plain.n}
