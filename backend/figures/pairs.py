"""Two measures of pairs of languages against each other, as ABX and Alignment both draw them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from isogloss.backend.charts.parts.text import number
from isogloss.backend.charts.relation_scatter import SILENT, relation_scatter
from isogloss.backend.experiments.relations import rows as of_rows
from isogloss.backend.experiments.words import count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import plotly.graph_objects as go

HALF = 380.0
"""Pixels a figure is taken to have for its labels: two stand side by side on a 1280-pixel screen."""


def pairs_scatter(
    rows: pd.DataFrame,
    *,
    x_title: str,
    y_title: str,
    title: str,
    spearman: float,
    pearson: float | None = None,
    fit: bool = False,
    printed: Sequence[str] = (),
    colours: Mapping[str, str] | None = None,
    unit: str = "pair",
    height: int = 430,
) -> go.Figure:
    """Draw a point for each of `rows` (source, target, x, y and, where there are several, model) that has both numbers.

    Over it stand the correlations, how many rows lack a number, and lines of text that are `printed`, such as a paper's. `fit`
    draws the least-squares line, without a band: pairs that share a language are not independent. `unit` is what a point is.
    """
    points = rows[["x", "y"]].astype(np.float64)
    known = points.notna().all(axis=1)
    line = of_rows.line(points, "x", "y") if fit else None
    if line is not None:
        line = replace(line, low=np.full_like(line.y, np.nan), high=np.full_like(line.y, np.nan))
    models = rows["model"].astype(str) if "model" in rows else pd.Series("", rows.index)
    names = _names(rows, models) if np.isfinite(points).all(axis=1).sum() <= SILENT else ""
    return relation_scatter(
        points.assign(name=names, group=models),
        x_title=x_title,
        y_title=y_title,
        title=title,
        notes=[
            correlation_text(pearson, spearman, int(known.sum()), int((~known).sum()), unit),
            *(["line: least squares"] if line is not None else []),
            *printed,
        ],
        line=line,
        colours=colours,
        height=height,
        width=HALF,
    )


def _names(rows: pd.DataFrame, models: pd.Series) -> pd.Series:
    """Return what each point is called where a pointer rests on it."""
    names = rows["source"].astype(str) + " – " + rows["target"].astype(str)
    names += ", layer " + rows["layer"].astype(str) if "layer" in rows else ""
    return names + ", " + models if models.nunique() > 1 else names


def correlation_text(pearson: float | None, spearman: float, n: int, left_out: int, unit: str) -> str:
    """Return the line of numbers over a scatter: `Pearson r = 0.77 · Spearman ρ = 0.71 · 630 pairs`."""
    given = {"Pearson r": pearson, "Spearman ρ": spearman}
    parts = [f"{name} = {text}" for name, value in given.items() if (text := number(value, ".2f"))]
    return " · ".join([*parts, count(n, unit), *([f"{left_out:,} without both scores"] if left_out else [])])
