"""The correlations of two measures from the rows of their table (`tables.table`) alone, as a figure of it says them."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from isogloss.backend.byte_cache import ByteCache
from isogloss.backend.experiments.registry import MEASURES
from isogloss.backend.experiments.relations.correlations import relate
from isogloss.backend.experiments.relations.reading import Scored
from isogloss.backend.experiments.relations.tables import Joined
from isogloss.backend.metrics.regression import fitted_line
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from isogloss.backend.experiments.relations.correlations import Related
    from isogloss.backend.experiments.relations.reading import Given, Question
    from isogloss.backend.metrics.regression import Line

CHECKPOINTS = ("checkpoint", "chosen", "best")
"""Columns of rows in which fingerprints stand."""


def related(rows: pd.DataFrame, question: Question) -> tuple[Related, Related]:
    """Return Pearson's and Spearman's correlation of the question's first two measures, as `relate` of what gave the rows.

    Kept in memory: a figure is drawn many times, and the permutations take a while.
    """
    x, y, *_ = question.readings
    found = joined_of(rows, question)
    a, b = (np.ascontiguousarray(found.arrays[name], np.float64) for name in (x, y))
    pairs, along = question.unit == "pair", question.along
    numbers = hashlib.blake2b(a.data)
    numbers.update(b.data)
    key = pairs, along is None, found.symmetric, a.shape, numbers.digest()
    values = Joined("pair" if pairs else "language", along and "checkpoint", (), (), {"x": a, "y": b}, found.symmetric)
    return _RELATED.get(key, lambda: relate(values, "x", "y"))


_RELATED: ByteCache[tuple[Related, Related]] = ByteCache(1 << 20, lambda _: 1 << 10)


def line(rows: pd.DataFrame, x: str, y: str) -> Line | None:
    """Return the least-squares line of column y on column x: see `fitted_line`."""
    return fitted_line(rows[x], rows[y])


@in_recipes
def with_names(rows: pd.DataFrame, labels: Mapping[str, str]) -> pd.DataFrame:
    """Return the rows with what each checkpoint is called (`labels`, by fingerprint) beside it."""
    names = {f"{name}_name": rows[name].map(lambda key: labels.get(key, key)) for name in CHECKPOINTS if name in rows.columns}
    ordered = [each for name in rows.columns for each in (name, f"{name}_name") if each in rows.columns or each in names]
    return rows.assign(**names)[ordered]


def joined_of(rows: pd.DataFrame, question: Question) -> Joined:
    """Return the arrays that a question's rows were made from, less the languages (units) and places that no row is of."""
    ends = [_places(rows[end]) for end in (("source", "target") if question.unit == "pair" else (question.unit,))]
    names = tuple(dict.fromkeys(name for own, _ in ends for name in own))
    if question.unit in ("pair", "language"):  # pooled, the first checkpoint may lack some
        names = tuple(sorted(names))
    at = [np.array([names.index(name) for name in own], np.intp)[place] for own, place in ends]
    over, stack = _places(rows[question.along]) if question.along else ((), np.zeros(len(rows), np.intp))
    symmetric = question.unit == "pair" and not _tells_directions_apart(question) and bool((at[0] <= at[1]).all())
    arrays = {}
    for name in question.readings:
        values = np.full((max(len(over), 1), *(len(names) for _ in ends)), np.nan)
        values[(stack, *at)] = rows[name].to_numpy(np.float64)
        if symmetric:
            values[(stack, *reversed(at))] = rows[name].to_numpy(np.float64)
        arrays[name] = values if question.along else values[0]
    return Joined(question.unit, question.along, names, over, arrays, symmetric)


def _places(column: pd.Series) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """Return the different keys of a column, as text, in their order, and which of them each row has."""
    place, keys = pd.factorize(column)
    return tuple(str(key) for key in keys), place


def _tells_directions_apart(question: Question) -> bool:
    """Whether a measure of the question has a value of its own for each direction, even where the rows have one alone."""
    return any(_directed(reading.of) for reading in question.readings.values())


def _directed(of: Scored | Given) -> bool:
    if not isinstance(of, Scored):
        return of.covariate is not None
    words = MEASURES.get(of.metric)
    return words is not None and words.directed
