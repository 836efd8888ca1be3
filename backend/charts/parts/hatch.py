"""Hatch the cells without a score in grey, so that they are not taken for a low one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import plotly.graph_objects as go

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAME = "not computed"
LEVEL = 0.05
"""A p below it is significant."""
CORRECTED = "p ≥ 0.05 after Benjamini–Hochberg"
"""What is crossed out where many tests are corrected for."""


def hatch(
    missing: NDArray[np.bool_], x: str = "x", y: str = "y", *, in_legend: bool = True, name: str = NAME
) -> go.Scatter | None:
    """Cover the True cells of `[rows, columns]` on axes `x` and `y` with a hatching called `name`; None where all are False.

    It is a single trace: touching cells are joined into rectangles.
    """
    xs: list[float | None] = []
    ys: list[float | None] = []
    for top, bottom, left, right in rectangles(missing):
        xs += [left - 0.5, right + 0.5, right + 0.5, left - 0.5, left - 0.5, None]
        ys += [top - 0.5, top - 0.5, bottom + 0.5, bottom + 0.5, top - 0.5, None]
    if not xs:
        return None
    return go.Scatter(
        x=xs[:-1],
        y=ys[:-1],
        xaxis=x,
        yaxis=y,
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillpattern={
            "shape": "/",
            "size": 7,
            "solidity": 0.22,
            "fillmode": "replace",
            "fgcolor": "rgba(128,128,128,0.75)",
            "bgcolor": "rgba(128,128,128,0.10)",
        },
        hoverinfo="skip",
        name=name,
        legendgroup=name,
        showlegend=in_legend,
    )


def cross(doubtful: NDArray[np.bool_], name: str) -> go.Scatter | None:
    """Cross out the True cells of `[rows, columns]`, whose colours stay to be seen, under `name`; None where all are False.

    Black on what is made a little paler is seen on the darkest cells, too, and in the legend of a dark page.
    """
    if (cover := hatch(doubtful, name=name)) is not None:
        cover.fillpattern.update(shape="x", fgcolor="rgba(0,0,0,0.5)", bgcolor="rgba(255,255,255,0.15)", size=6, solidity=0.18)
    return cover


def rectangles(mask: NDArray[np.bool_]) -> list[tuple[int, int, int, int]]:
    """Return the True cells as rectangles (first row, last row, first column, last column) that do not overlap."""
    done: list[tuple[int, int, int, int]] = []
    growing: dict[tuple[int, int], int] = {}  # columns of a run → the row it began in
    for i in range(mask.shape[0] + 1):
        runs = set(_runs(mask[i])) if i < mask.shape[0] else set()
        done += [(top, i - 1, *run) for run, top in growing.items() if run not in runs]
        growing = {run: growing.get(run, i) for run in runs}
    return sorted(done)


def _runs(row: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First and last place of each run of True."""
    runs: list[tuple[int, int]] = []
    for j, here in enumerate(row.tolist()):
        if here and runs and runs[-1][1] == j - 1:
            runs[-1] = (runs[-1][0], j)
        elif here:
            runs.append((j, j))
    return runs
