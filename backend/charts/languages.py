"""Languages as rows of a heatmap: their order, their groups, and a scale for each."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
from scipy.spatial.distance import squareform

from isogloss.backend.charts.grid import Grid
from isogloss.backend.charts.heatmap import heatmap_of
from isogloss.backend.charts.parts.text import name_of
from isogloss.backend.charts.parts.theme import CHANCE

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    import plotly.graph_objects as go
    from numpy.typing import ArrayLike, NDArray

Order = Literal["name", "family", "genus", "script", "region", "resource level", "clustering", "value"]
GROUPED: tuple[Order, ...] = ("family", "genus", "script", "region", "resource level")
"""Orders by what languages have in common: the columns of the table of languages."""
LEVELS = ("high", "medium", "low")
PINNED = "pinned"
"""What stands beside the languages that were put first."""


def order_languages(by: Order, matrix: ArrayLike | None, meta: pd.DataFrame) -> list[int]:
    """Order the rows of `meta` (and of `matrix`); returns their places.

    Args:
        by: "name" by the English name; those of `GROUPED` by that and then by name, unknown ones last, genera within their
            families and resource levels from high to low; "clustering" puts rows with similar scores side by side (average
            linkage, see `docs/definitions.md`); "value" the greatest mean on top.
        matrix: Scores `[languages, columns]`, nan where unknown. Only for "clustering" and "value".
        meta: One row a language, columns `name` and those of `GROUPED` that are asked for (null where unknown).

    Ties keep the order of the names. Raises `ValueError` where `matrix` does not have a row a language.
    """
    names = [str(name).casefold() for name in meta["name"]]
    by_name = sorted(range(len(names)), key=lambda i: (names[i], i))
    match by:
        case "name":
            return by_name
        case "family" | "script" | "genus" | "region" | "resource level":
            levels = ["family", "genus"] if by == "genus" and "family" in meta else [by]
            places = [[_place(value) for value in meta[each]] for each in levels]
            return sorted(by_name, key=lambda i: [column[i] for column in places])
        case "value":
            return order_by_mean(np.asarray(matrix, np.float64), meta, highest_first=True)
        case "clustering":
            scores = np.asarray(matrix, dtype=np.float64)
            if scores.ndim != 2 or scores.shape[0] != len(names):
                raise ValueError(f"Clustering {len(names)} languages needs a matrix with as many rows, not {scores.shape}.")
            return [by_name[i] for i in _leaves(scores[by_name].tobytes(), scores.shape)]


def _place(group: object) -> tuple[bool, int, str]:
    """Where a group stands among others: unknown ones last, resource levels from high to low, others by name."""
    known = not (group is None or group != group or group == "")
    text = str(group) if known else ""
    return not known, LEVELS.index(text) if text in LEVELS else 0, text.casefold()


@lru_cache(maxsize=32)  # a picture and what can be clicked in it ask for the same order
def _leaves(content: bytes, shape: tuple[int, int]) -> tuple[int, ...]:
    """Cluster rows (an array's `content`), and return the leaves of the tree in their order."""
    scores = np.frombuffer(content, np.float64).reshape(shape)
    if len(scores) < 3:
        return tuple(range(len(scores)))
    known = np.isfinite(scores)
    filled = np.where(known, scores, 0.0)
    shared = known.astype(np.float64) @ known.T.astype(np.float64)
    squares = (filled**2) @ known.T.astype(np.float64)
    total = np.maximum(squares + squares.T - 2 * filled @ filled.T, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        distance = np.sqrt(total / shared)
    distance = np.where(shared > 0, distance, np.nanmax(distance, initial=0.0, where=shared > 0))
    np.fill_diagonal(distance, 0.0)
    condensed = squareform((distance + distance.T) / 2, checks=False)
    tree = optimal_leaf_ordering(linkage(condensed, method="average"), condensed)
    return tuple(int(leaf) for leaf in leaves_list(tree))


def order_by_mean(matrix: ArrayLike, meta: pd.DataFrame, *, highest_first: bool = False) -> list[int]:
    """Order the rows of `matrix` `[languages, columns]` and `meta` by the mean of each row's known scores; returns places.

    Equal rows keep the order of their names (column `name`); rows without a score come last.
    """
    scores = np.asarray(matrix, dtype=np.float64)
    known = np.isfinite(scores)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.sum(scores, axis=1, where=known) / known.sum(axis=1)
    means = np.round(-means if highest_first else means, 12)  # sums in another order are not another mean
    return sorted(order_languages("name", None, meta), key=lambda i: (bool(np.isnan(means[i])), means[i]))


ALIKE = "no scale of its own, since all its scores are alike"
"""Why a language has none."""


def names_of(meta: pd.DataFrame) -> dict[str, str]:
    """Tag → English name of each language, in the order of `meta`."""
    return dict(zip(meta["tag"], meta["name"], strict=True))


def arranged(
    by: Order, matrix: ArrayLike | None, meta: pd.DataFrame, pinned: Sequence[str] = ()
) -> tuple[dict[str, str], list[str] | None]:
    """Tag → name of each language as `order_languages` has them, and the groups of these rows (`groups_of`).

    Those that are `pinned` stand first, in the order given, as a group of their own.
    """
    places = with_first(meta, order_languages(by, matrix, meta), pinned)
    groups = groups_of(by, meta, places)
    amount = len({*pinned} & {*meta["tag"]})
    return names_of(meta.iloc[places]), groups and [PINNED] * amount + groups[amount:]


def with_first(meta: pd.DataFrame, places: Sequence[int], pinned: Sequence[str]) -> list[int]:
    """Return these places of `meta` with those of the languages that are `pinned` first, in the order given."""
    tags = meta["tag"].tolist() if pinned else []
    first = [tags.index(tag) for tag in dict.fromkeys(pinned) if tag in tags]
    return [*first, *(place for place in places if place not in first)]


def groups_of(by: Order, meta: pd.DataFrame, order: Sequence[int]) -> list[str] | None:
    """Name the family, genus, … of each row in `order`, for the brackets; None where the order has no groups."""
    if by not in GROUPED:
        return None
    values = meta[by].tolist()
    return ["unknown" if values[i] is None or values[i] != values[i] or values[i] == "" else str(values[i]) for i in order]


def language_heatmap(
    cells: Grid,
    *,
    colour_title: str,
    column_title: str = "Training step",
    scaled: NDArray[np.float64] | None = None,
    chance: float | None = CHANCE,
    n_title: str = "Sentences",
    fitted: bool | None = False,
    range: tuple[float, float] | None = None,
    form: str = ".3f",
) -> go.Figure:
    """Draw languages × checkpoints, with brackets where `cells.row_groups` has families or scripts.

    `scaled` are the same cells, each language on a scale of its own; those that have none are hatched, and the hover says why.
    Intervals are then left out, since they belong to the raw scores. The others as for `heatmap_of`.
    """
    normalised = scaled is not None
    if scaled is not None:
        cells = on_own_scale(cells, scaled)
        colour_title = f"{name_of(colour_title)} (0 = the language's lowest, 1 = its highest)"
    return heatmap_of(
        cells,
        colour_title=colour_title,
        row_title="Language",
        column_title=column_title,
        range=(0.0, 1.0) if normalised else range,
        chance=None if normalised else chance,
        n_title=n_title,
        show_values=True,
        fitted=False if normalised else fitted,
        form=".3f" if normalised else form,
    )


def on_own_scale(cells: Grid, scaled: NDArray[np.float64]) -> Grid:
    """Return the cells with these values, and why those that have a score have none of them."""
    without = ~np.isfinite(scaled)
    alike = without & ~cells.missing & (True if cells.undefined is None else ~cells.undefined)
    notes = [list(row) for row in cells.notes] if cells.notes else [[""] * without.shape[1] for _ in range(len(without))]
    for i, j in np.argwhere(alike):
        notes[i][j] = ALIKE
    return Grid(
        scaled.astype(np.float32),
        cells.row_labels,
        cells.column_labels,
        title=cells.title,
        n=cells.n,
        undefined=cells.undefined,
        row_groups=cells.row_groups,
        notes=tuple(map(tuple, notes)),
        lacking="all alike" if not cells.missing.any() else "not computed, or all alike" if alike.any() else cells.lacking,
    )
