"""Heatmaps of scores: one, and two side by side (`difference`: of two, cell by cell).

Cells are uniform bricks without gaps at places 0, 1, 2 …, which plotly draws as one image; labels are ticks. Scores travel as
contiguous float32.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from isogloss.backend.charts.grid import Grid, hover_texts
from isogloss.backend.charts.parts.axes import category_axis, turned_room
from isogloss.backend.charts.parts.colourbar import beside_names, colour_axis, fit, score_range
from isogloss.backend.charts.parts.groups import add_groups, room
from isogloss.backend.charts.parts.hatch import hatch
from isogloss.backend.charts.parts.readable import write_values
from isogloss.backend.charts.parts.stages import GROUP, add_column_stages, within_stage
from isogloss.backend.charts.parts.text import name_of, safe
from isogloss.backend.charts.parts.theme import CHANCE, Scale, empty, layout

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDTH = 1000.0
"""Pixels a figure is taken to have for its labels: a 1280-pixel screen less Streamlit's menu."""
TALLEST = 640
"""Pixels of a figure's height that a 720-pixel screen has room for."""
CELLS = 0.56
"""The share of `WIDTH` that the cells take beside labels, brackets and the colour bar."""
STAGES = 18
"""Pixels above the cells that names of stages take."""
HEADING, LINE = 56, 19
"""Characters in a line of a heading as wide as the figure, and its height in pixels."""

NOTHING = "There is nothing to show for this selection yet."


def heatmap_of(
    cells: Grid,
    *,
    colour_title: str,
    row_title: str,
    column_title: str,
    range: tuple[float, float] | None = None,
    scale: Scale = "viridis",
    chance: float | None = CHANCE,
    show_values: bool = False,
    n_title: str = "Sentences",
    first_row: str = "top",
    form: str = ".3f",
    fitted: bool | None = False,
) -> go.Figure:
    """Draw scores as colours; a missing one is hatched and called "not computed".

    `colour_title` gives measure, unit and direction, `range` the scores at the ends of the colours: None for chance (or the
    lowest, if lower) to 1. `chance` is the score of guessing, named on the colour bar. `n_title` is what `cells.n` counts.
    `first_row` puts row 0 at the "top" (lists) or the "bottom" (layers). `form` is the format of a score. `fitted`: the
    colours go from the least to the greatest score (or over `range`, that of several figures), and the bar says so; None: only
    where the scores span less than half of the scale.
    `show_values` writes the scores into their cells where they fit.
    """
    if cells.values.size == 0:
        return empty(NOTHING, title=cells.title)
    height = natural_height(len(cells.row_labels))
    figure = layout(go.Figure(), height=height, title=cells.title)
    texts = hover_texts(
        cells, row_title=row_title, column_title=column_title, colour_title=colour_title, form=form, n_title=n_title
    )
    add_panel(figure, cells, texts, 1, row_title, column_title, (0.0, 1.0), first_row, show_values)
    if cells.row_groups is not None:
        add_groups(figure, cells.row_groups, columns=_column_groups(cells), there=_there(cells))
    ends, is_fitted = fit(cells, whole=range, chance=chance, fitted=fitted)
    said = form if is_fitted else ""
    figure.layout.coloraxis = colour_axis(colour_title, ends, scale, chance, x=1.01, height=height, fitted=said)
    names = 0 if cells.row_groups is None else room(cells.row_groups)
    if names:
        beside_names(figure, names)
    width = CELLS * (WIDTH - names)
    write_values(figure, form, width=width, height=height - 120)
    if height < TALLEST:  # rows keep their height above names that are turned
        below = turned_room([within_stage(label) for label in cells.column_labels], width)
        figure.layout.height = min(height + below, TALLEST)
    return figure


def pair_of_heatmaps(
    left: Grid,
    right: Grid,
    *,
    colour_titles: tuple[str, str],
    row_title: str,
    column_title: str,
    title: str = "",
    shared_scale: bool = True,
    shared_title: str = "Score (share of triplets; higher = more separable)",
    chance: float | None = CHANCE,
    show_values: bool = False,
    n_title: str = "Sentences",
    first_row: str = "top",
    fitted: bool | None = False,
    range: tuple[float, float] | None = None,
    form: str = ".3f",
) -> go.Figure:
    """Draw two heatmaps side by side, each under its `Grid.title`, zoomed together.

    They share one colour bar, called `shared_title` where `colour_titles` differ, or, without `shared_scale`, have one each
    over the range of their own scores, and groups have no room for names. `range` are the scores at the ends of the shared bar:
    None for chance to 1. `fitted`: it goes, as the others do, from the least to the greatest score, and every bar says between
    which; None as in `heatmap_of`. `form` is the format of a score.
    """
    if left.values.size == 0 and right.values.size == 0:
        return empty(NOTHING, title=title)
    height = natural_height(max(len(left.row_labels), len(right.row_labels))) + 24
    figure = layout(go.Figure(), height=height, title=title)
    named = shared_scale and right.row_groups is not None
    domains = ((0.0, 0.485), (0.515, 1.0)) if shared_scale else ((0.0, 0.40), (0.595, 0.995))
    above = 1
    for number, (cells, domain, colour_title) in enumerate(zip((left, right), domains, colour_titles, strict=True), start=1):
        texts = hover_texts(
            cells, row_title=row_title, column_title=column_title, colour_title=colour_title, form=form, n_title=n_title
        )
        add_panel(figure, cells, texts, number, row_title, column_title, domain, first_row, show_values)
        if cells.row_groups is not None:
            columns, panel = _column_groups(cells), "" if number == 1 else "2"
            bracketed = named and number == 2
            add_groups(figure, cells.row_groups, bracketed=bracketed, columns=columns, panel=panel, there=_there(cells))
        lines = textwrap.wrap(
            cells.title or name_of(colour_title), int(HEADING * (domain[1] - domain[0]) * (0.6 if named else 1))
        )
        _add_heading(figure, lines, domain[0], above=STAGES if any(GROUP in label for label in cells.column_labels) else 0)
        above = max(above, len(lines))
    if left.row_labels == right.row_labels:
        figure.update_layout(yaxis2={"matches": "y", "showticklabels": False, "title": None})
        if left.column_labels == right.column_labels:
            figure.update_layout(xaxis2={"matches": "x"})
    figure.layout.margin.t = (82 if title else 52) + LINE * (above - 1)
    figure.layout.height += LINE * (above - 1)
    figure.layout.legend.y = 1.055
    if shared_scale:
        name = colour_titles[0] if colour_titles[0] == colour_titles[1] else shared_title
        ends, is_fitted = fit(left, right, whole=None if fitted else range, chance=chance, fitted=fitted)
        said = form if is_fitted else ""
        figure.update_traces(coloraxis="coloraxis", selector={"type": "heatmap"})
        figure.layout.coloraxis = colour_axis(name, ends, "viridis", chance, x=1.01, height=height, fitted=said)
        if right.row_groups is not None:
            beside_names(figure, room(right.row_groups))
    else:
        for key, cells, domain, name in zip(("coloraxis", "coloraxis2"), (left, right), domains, colour_titles, strict=True):
            ends, said = score_range(cells, chance=None), form if fitted else ""
            mark = chance if chance is not None and ends[0] <= chance <= ends[1] else None  # between panels is no room for more
            figure.layout[key] = colour_axis(name, ends, "viridis", mark, x=domain[1] + 0.004, height=height, fitted=said)
    across = CELLS * WIDTH * (domains[0][1] - domains[0][0])
    write_values(figure, form, width=across, height=height - 140)
    return figure


def add_panel(
    figure: go.Figure,
    cells: Grid,
    texts: NDArray[np.object_],
    number: int,
    row_title: str,
    column_title: str,
    domain: tuple[float, float],
    first_row: str,
    show_values: bool,
) -> None:
    """Draw `cells` on axes `number` (1 or 2) between the fractions `domain` of the figure's width."""
    suffix = "" if number == 1 else str(number)
    rows, columns = cells.values.shape
    x, y = f"x{suffix}", f"y{suffix}"
    figure.add_trace(
        go.Heatmap(
            z=cells.values,
            x0=0,
            dx=1,
            y0=0,
            dy=1,
            xaxis=x,
            yaxis=y,
            coloraxis=f"coloraxis{suffix}",
            hovertext=texts,
            hovertemplate="%{hovertext}<extra></extra>",
            hoverongaps=True,
            texttemplate="%{z}" if show_values else None,
            name=safe(cells.title),
        )
    )
    hatched = any(trace.name == "not computed" for trace in figure.data)
    if (cover := hatch(cells.missing, x, y, in_legend=number == 1 or not hatched, name=cells.lacking)) is not None:
        figure.add_trace(cover)
    width = WIDTH * (domain[1] - domain[0])
    names = [within_stage(label) for label in cells.column_labels]
    across = category_axis(names, column_title, pixels=width, horizontal=True, at_least=CELLS * width)
    down = category_axis(cells.row_labels, row_title, pixels=figure.layout.height - 120, horizontal=False)
    across |= {"domain": list(domain), "range": [-0.5, columns - 0.5], "anchor": y}
    down |= {"range": [rows - 0.5, -0.5] if first_row == "top" else [-0.5, rows - 0.5], "anchor": x}
    figure.layout[f"xaxis{suffix}"] = across
    figure.layout[f"yaxis{suffix}"] = down
    add_column_stages(figure, cells.column_labels, suffix, width * CELLS)


def _there(cells: Grid) -> NDArray[np.bool_] | None:
    """Return which cells are drawn, with a colour or hatched; None for all."""
    return None if cells.undefined is None else ~cells.undefined


def _column_groups(cells: Grid) -> tuple[str, ...] | None:
    """Return the groups of the columns: those of the rows where both are the same."""
    return cells.column_groups or (cells.row_groups if cells.row_labels == cells.column_labels else None)


def _add_heading(figure: go.Figure, lines: list[str], x: float, *, above: int) -> None:
    text = "<br>".join(safe(line) for line in lines)
    place = {"x": x, "y": 1, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom", "yshift": above}
    figure.add_annotation(place, text=f"<b>{text}</b>", showarrow=False, align="left", font={"size": 15})


def natural_height(rows: int) -> int:
    """Height in pixels of a heatmap of so many rows: cells of 14 to 30 pixels; up to 36 rows fit a 720-pixel screen."""
    return int(130 + rows * min(30.0, max(14.0, 490.0 / max(rows, 1)))) if rows > 6 else 310
