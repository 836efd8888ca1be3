"""In which order the languages of a matrix stand: rows are trained on, columns are evaluated in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.charts.grid import Grid, pivot
from isogloss.backend.charts.languages import GROUPED, Order, arranged, names_of, order_by_mean, with_first
from isogloss.backend.figures.languages import language_table
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import pandas as pd

ROWS, COLUMNS = "Trained on", "Evaluated in"


@in_recipes
@dataclass(frozen=True)
class Axes:
    """Rows and columns in their order, tag → name, and the family or script of each row where ordered by that."""

    rows: dict[str, str]
    columns: dict[str, str]
    groups: list[str] | None
    pinned: tuple[str, ...] = ()
    """Languages that stand first, whatever the order."""

    def with_rows(self, wanted: Collection[str]) -> Axes:
        """Leave out the other rows."""
        groups = self.groups and [group for tag, group in zip(self.rows, self.groups, strict=True) if tag in wanted]
        return replace(self, rows={tag: name for tag, name in self.rows.items() if tag in wanted}, groups=groups)


def axes(
    order: str,
    values: pd.DataFrame,
    sources: Sequence[str],
    targets: Sequence[str],
    pinned: Sequence[str] = (),
    *,
    highest_first: bool,
) -> Axes:
    """The axes of all matrices of `values` (source, target, value, a row a model and direction), the same for every model.

    Those that are `pinned` stand first. Orders by value go by the mean over models, without a language to itself.
    """
    apart = values[values["source"] != values["target"]]
    means = apart.groupby(["source", "target"], as_index=False)[["value"]].mean()
    matrix = pivot(means, rows=list(sources), columns=list(targets)).values
    square = tuple(sources) == tuple(targets)
    rows, groups = _ordered(order, matrix, matrix.T if square else None, sources, pinned, highest_first)
    columns, _ = _ordered(order, matrix.T, matrix if square else None, targets, pinned, highest_first)
    return Axes(rows, columns, groups, tuple(pinned))


def grid(found: pd.DataFrame, axes: Axes, title: str, *, square: bool = False) -> Grid:
    """Return the column `percent` of `found`, a row a direction, along the axes, with low, high and n where it has them."""
    ends = {name: 100 * found[name].astype(float) for name in ("low", "high") if name in found}
    return pivot(
        found[["source", "target", *(["n"] if "n" in found else [])]].assign(value=found["percent"], **ends),
        rows=axes.rows,
        columns=axes.columns,
        title=title,
        square=square,
        row_groups=axes.groups,
    )


def _ordered(
    order: str,
    matrix: np.ndarray,
    other: np.ndarray | None,
    tags: Sequence[str],
    pinned: Sequence[str],
    highest_first: bool,
) -> tuple[dict[str, str], list[str] | None]:
    """Tag → name in order, and the groups. Languages at both ends have one place in a clustering by both (`other`)."""
    meta = language_table(tuple(tags))
    if order == "mean":
        places = order_by_mean(matrix, meta, highest_first=highest_first)
        return names_of(meta.iloc[with_first(meta, places, pinned)]), None
    by: Order = order if order in (*GROUPED, "clustering") else "name"
    # Rows and columns in one fixed order, or their clusterings could differ where the distances are equal.
    ends = sorted([matrix] if other is None else [matrix, other], key=lambda each: each.tobytes())
    return arranged(by, np.hstack(ends), meta, pinned)
