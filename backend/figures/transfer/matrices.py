"""Matrices of transfer directions, source by target (Chi et al. 2023, figures 2 and 4 to 6)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import pandas as pd
import plotly.graph_objects as go

from isogloss.backend.charts.difference import difference_heatmap
from isogloss.backend.charts.grid import Grid
from isogloss.backend.charts.heatmap import heatmap_of
from isogloss.backend.charts.parts import hatch
from isogloss.backend.charts.parts.colourbar import score_range
from isogloss.backend.charts.parts.framed import frame_cells
from isogloss.backend.charts.parts.text import number
from isogloss.backend.experiments.transfer import directions as transfer_directions
from isogloss.backend.experiments.transfer.curves import Direction
from isogloss.backend.experiments.words import count
from isogloss.backend.figures import ordering
from isogloss.backend.figures.collapsed_directions import collapsed_directions, places
from isogloss.backend.figures.ordering import COLUMNS, ROWS, Axes
from isogloss.backend.figures.transfer.asked import Asked
from isogloss.backend.figures.transfer.gaps import run_said
from isogloss.backend.recipe_mark import in_recipes

ROUNDING = 1e-12
"""Training errors that differ by less are equal, as in the windows of IGap."""
Ends = tuple[float, float]
Runs = Mapping[str, tuple[float, int]]
"""Learning rate and seed of runs."""


@in_recipes
def matrix(
    rows: pd.DataFrame,
    *,
    asked: Asked,
    axes: Axes,
    title: str,
    framed: Sequence[Direction],
    runs: Runs,
    reached: Mapping[str, Ends],
    chance: float | None,
    at_least: Ends | None,
    fitted: bool = False,
    order: str = "",
    opened: Collection[str] | None = None,
) -> go.Figure:
    """Draw every direction of one model, those `framed` with a frame; a cell's hover says what its value rests on.

    `rows` are those of `measured_directions`. `runs` are those behind IGaps; `reached` are the least and the greatest training
    error from each source; `chance` is the value of guessing and `at_least` what the colours reach in any case, in percent.
    `fitted`: the bar says between which values the colours go. `opened`: many languages in an `order` by groups are collapsed,
    as `collapsed_directions` has it.
    """
    cells = cells_of(rows, asked=asked, axes=axes, title=title, runs=runs, reached=reached)
    cells = collapsed_directions(cells, axes, order, opened)
    drawn = heatmap_of(
        cells,
        colour_title=asked.title,
        row_title=ROWS,
        column_title=COLUMNS,
        range=ends(asked, [cells], at_least),
        scale="difference" if asked.asymmetric else "viridis",
        chance=chance,
        show_values=True,
        n_title="Examples",
        form="+.1f" if asked.asymmetric else ".1f",
        fitted=fitted,
    )
    sources, targets = zip(*framed, strict=True) if framed else ((), ())
    frame_cells(drawn, places(sources, targets, axes, order, opened), asked.best)
    return _without_reason(drawn)


@in_recipes
def difference(
    rows: pd.DataFrame,
    *,
    asked: Asked,
    axes: Axes,
    first: str,
    second: str,
    notes: Sequence[Sequence[str]],
    order: str = "",
    opened: Collection[str] | None = None,
) -> go.Figure:
    """Draw one model less another, hatched where that may be 0 by `p_corrected`; of rows without it, as kept before, nowhere.

    `rows` are of `compared`; `notes` say why cells of the axes are empty. `opened`: as of `matrix`; means of groups have no
    interval, and are not hatched.
    """
    square = _square(asked)
    better = asked.unit.partition("; ")[2:] if not asked.asymmetric else ()
    one, other = (
        collapsed_directions(
            ordering.grid(
                rows.assign(percent=100 * rows[name]).drop(columns=["low", "high"], errors="ignore"), axes, title, square=square
            ),
            axes,
            order,
            opened,
        )
        for name, title in (("first", first), ("second", second))
    )
    known = opened is None and "p_corrected" in rows and rows["p_corrected"].notna().any()
    low, high, p = (
        ordering.grid(rows.assign(percent=times * rows[name]), axes, name, square=square) if known else None
        for name, times in (("low", 100), ("high", 100), ("p_corrected", 1))
    )
    drawn = difference_heatmap(
        one,
        other,
        first_name=first,
        second_name=second,
        title=f"Difference: {first} − {second}",
        colour_title=f"Difference in {asked.name} ({'; '.join(['percentage points', *better])})",
        row_title=ROWS,
        column_title=COLUMNS,
        form="+.1f",
        notes=notes if opened is None else one.notes,
        interval=(low, high) if low and high else None,
        corrected=p,
    )
    return _without_reason(drawn)


@in_recipes
def printed(rows: pd.DataFrame, *, order: str, title: str) -> go.Figure:
    """Draw the printed transfer gap of every direction (figure 6), its languages in `order` (of `ordering.axes`)."""
    asked = Asked("gap")
    tags = tuple(sorted(rows["source"].unique()))
    axes = ordering.axes(order, rows, tags, tags, highest_first=False)
    drawn = heatmap_of(
        ordering.grid(rows, axes, title),
        colour_title=asked.title,
        row_title=ROWS,
        column_title=COLUMNS,
        range=None,
        chance=None,
        show_values=True,
        form=".1f",
    )
    best = transfer_directions.best(rows, ["model"], higher=False)
    return frame_cells(drawn, places(best["source"], best["target"], axes, "", None), asked.best)


def cells_of(rows: pd.DataFrame, *, asked: Asked, axes: Axes, title: str, runs: Runs, reached: Mapping[str, Ends]) -> Grid:
    """Return the cells of one model along the axes, in percent, each with what it rests on or why it is empty."""
    cells = ordering.grid(rows, axes, title, square=_square(asked))
    notes, trained = notes_of(rows, asked, runs, reached), set(rows["source"])
    lacking = "one of the two ways has no value" if asked.asymmetric else "not evaluated in this language"
    untrained = lacking if asked.asymmetric else "no model was trained on this language"
    return replace(
        cells,
        notes=tuple(tuple(notes.get((s, t), lacking if s in trained else untrained) for t in axes.columns) for s in axes.rows),
    )


def ends(asked: Asked, grids: Sequence[Grid], at_least: Ends | None) -> Ends:
    """Return the ends of the colours for some models; of an asymmetry as far below zero as above."""
    low, high = score_range(*grids, chance=None)
    if at_least is not None:
        low, high = min(low, at_least[0]), max(high, at_least[1])
    if not asked.asymmetric:
        return low, high
    most = max(abs(low), abs(high), 0.1)
    return -most, most


def _square(asked: Asked) -> bool:
    """Whether a language to itself has no value."""
    return asked.asymmetric or asked.measure == "igap"


def _without_reason(drawn: go.Figure) -> go.Figure:
    """Explain empty cells: some are not computed, others cannot have a value; the hover says which."""
    return drawn.update_traces(name="no value", selector={"name": hatch.NAME})


def notes_of(rows: pd.DataFrame, asked: Asked, runs: Runs, reached: Mapping[str, Ends]) -> dict[Direction, str]:
    """For the cells of one model: what a value rests on, or why there is none."""
    notes: dict[Direction, str] = {}
    for row in rows.to_dict("records"):
        if seeds := row.get("of_seeds"):
            spread = f", ± {100 * row['deviation']:.1f} between them" if seeds > 1 else ""
            words = f"mean of {count(int(seeds), 'seed')} of the model{spread}"
        elif asked.asymmetric:
            words = f"{number(100 * row['forth'], '.1f')} there, {number(100 * row['back'], '.1f')} back"
        elif asked.measure != "igap":
            spread = f" ± {100 * row['deviation']:.1f} over" if asked.measure == "accuracy" and row["seeds"] > 1 else ","
            words = f"accuracy {100 * row['accuracy']:.1f}{spread} {count(row['seeds'], 'seed')}, "
            words += f"learning rate {row['learning_rate']:g}"
        elif row["step"] >= 0:
            words = f"least of {count(row['models'], 'model')} in the window: {run_said(runs.get(row['run']))}"
            words += f"step {row['step']:,}"
        else:
            words = why_empty(row["models"], row["measured"], reached.get(row["source"]), asked)
        notes[row["source"], row["target"]] = words
    return notes


def why_empty(models: int, measured: int, reached: tuple[float, float] | None = None, asked: Asked | None = None) -> str:
    """Why a window has no IGap; `reached` are the least and the greatest training error of the runs."""
    if models:
        return f"{measured} of the {count(models, 'model')} in the window evaluated in this language, so the least is not known"
    if reached is None or asked is None:
        return "no model in the window"
    least, most = reached
    if least >= asked.at + asked.epsilon - ROUNDING:
        return f"no model in the window: least training error {_share(least)}, widen the window or train longer"
    if most < asked.at:
        return f"no model in the window: greatest training error {_share(most)}, choose a lower E′"
    return f"no model in the window: training errors from {_share(least)} to {_share(most)}, widen the window"


def _share(error: float) -> str:
    return f"{100 * error:.2f}".rstrip("0").rstrip(".") + "%"
