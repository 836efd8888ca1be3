"""Scores of languages by what these have in common: a row's group, each group's mean, and whether groups differ."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import pandas as pd

from isogloss.backend.corpora.languages.facts import facts
from isogloss.backend.errors import CorpusError
from isogloss.backend.metrics.between_groups import BetweenGroups, between_groups
from isogloss.backend.metrics.intervals import Bounds, mean_of_runs, within
from isogloss.backend.metrics.pair_groups import mean_of_group
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

By = Literal["family", "genus", "script", "region", "resource level"]
GROUPED_BY: tuple[By, ...] = get_args(By)


def group_of(tag: str, by: By) -> str | None:
    """Return the group of a language; None where it is not known, and of what is no language."""
    try:
        known = facts(tag)
    except CorpusError:
        return None
    found: str | None = getattr(known, "level" if by == "resource level" else by)
    return found


@in_recipes
def with_groups(rows: pd.DataFrame, by: By, language: str = "language") -> pd.DataFrame:
    """Return the rows with each one's group in the column `group`; null where it is not known."""
    groups = {tag: group_of(tag, by) for tag in rows[language].unique()}
    return rows.assign(group=rows[language].map(groups))


def means(
    values: Sequence[float], groups: Sequence[str | None], bounds: Bounds = (None, None), *, over_pairs: bool = False
) -> pd.DataFrame:
    """Return each group's mean over its languages, the greatest first: group, value, low, high, n.

    `low` to `high` is Student's 95% interval over the languages, nan of a single one, cut off at the measure's `bounds`; of
    values that are means `over_pairs` with all others, that of `mean_of_group`. Values of nan are left out.
    """
    given, of = np.asarray(values, np.float64)[:, None], np.array(groups, object)
    rows = []
    for group in dict.fromkeys(each for each in groups if each is not None):
        inside = of == group
        found, n = _mean(given[inside], bounds, given[~inside] if over_pairs else None)
        rows += [(group, *found[:, 0].tolist(), n[0])] if n[0] else []
    table = pd.DataFrame(rows, columns=["group", "value", "low", "high", "n"])
    return table.sort_values(["value", "group"], ascending=[False, True], ignore_index=True)


@dataclass(frozen=True, eq=False)
class MeanOver:
    """Means over languages [columns], with their 95% interval, nan of a single one; `n` languages have a value."""

    value: NDArray[np.float32]
    low: NDArray[np.float32]
    high: NDArray[np.float32]
    n: list[int]


def mean_over(
    values: NDArray[np.floating[Any]], bounds: Bounds = (None, None), partners: NDArray[np.floating[Any]] | None = None
) -> MeanOver:
    """Return the mean of each column of `values` [languages, columns] over the languages that have one; nan without any.

    Intervals are Student's, cut off at the measure's `bounds`. Of values that are means over pairs, `partners` are those of all
    other languages [others, columns], and intervals are those of `mean_of_group`.
    """
    found, n = _mean(values, bounds, partners)
    value, low, high = found.astype(np.float32)
    return MeanOver(value, low, high, n)


def _mean(
    values: NDArray[np.floating[Any]], bounds: Bounds, partners: NDArray[np.floating[Any]] | None
) -> tuple[NDArray[np.float64], list[int]]:
    """Return value, low and high of `mean_over` [3, columns], and how many languages have a value."""
    amounts = np.isfinite(values).sum(axis=0)
    value, low, high = _of_runs(values, amounts) if partners is None else _of_pairs(values, partners)
    return np.stack([value, *within(low, high, bounds)]), amounts.tolist()


def _of_pairs(values: NDArray[np.floating[Any]], partners: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    found = mean_of_group(np.concatenate([values, partners]), range(len(values)))
    return np.array([found.value, found.low, found.high], np.float64)


def _of_runs(values: NDArray[np.floating[Any]], amounts: NDArray[np.intp]) -> NDArray[np.float64]:
    columns = np.ascontiguousarray(values.T, np.float64)
    known = np.isfinite(columns)
    made = np.full((3, len(columns)), np.nan)
    for amount in set(amounts.tolist()) - {0}:  # mostly all columns have the same languages
        at = amounts == amount
        found = mean_of_runs(columns[at][known[at]].reshape(-1, amount))
        made[:, at] = found.value, found.low, found.high
    return made


def differ(values: Sequence[float], groups: Sequence[str | None]) -> BetweenGroups:
    """Return `between_groups`; kept in memory, since a figure is drawn many times."""
    return _differ(tuple(map(float, values)), tuple(groups))


@lru_cache(maxsize=64)
def _differ(values: tuple[float, ...], groups: tuple[str | None, ...]) -> BetweenGroups:
    return between_groups(values, groups)
