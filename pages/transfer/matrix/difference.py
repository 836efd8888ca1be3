"""The difference of two models in every direction of transfer, and what is said of its intervals."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.charts.difference import why_missing
from isogloss.backend.charts.grid import Grid
from isogloss.backend.charts.parts.hatch import LEVEL
from isogloss.backend.experiments.transfer import compared
from isogloss.backend.experiments.transfer import frames as transfer_frames
from isogloss.backend.experiments.words import count
from isogloss.backend.figures.ordering import Axes
from isogloss.backend.figures.transfer import matrices as figures
from isogloss.pages.transfer.shared import directions, frames
from isogloss.pages.transfer.shared.directions import Asked
from isogloss.pages.transfer.shared.selection import BY, Selection
from isogloss.pages.transfer.shared.together import Together
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.workspace import workspaces

UNCERTAIN = "No interval, so no cell is hatched: an asymmetry has none."
OF_GROUPS = "Means over directions between groups: no interval, so no cell is hatched."
CORRECTED = "p ≥ 0.05 after Benjamini–Hochberg's correction over these cells."
ONE_SEED = "Means over the seeds. No interval, so no cell is hatched: one side has a single seed."
OVER_SEEDS = "Means over the seeds; Welch's 95% interval, with other seeds of both and the same examples."
PAIRED = "95% intervals are paired: both models on the same examples, as they are trained."
WIDEST = "the widest that both intervals allow: the two were not evaluated on the same examples"


def draw(
    of: Together,
    asked: Asked,
    axes: Axes,
    gaps: pd.DataFrame,
    pair: tuple[str, str],
    order: str,
    open_groups: list[str] | None,
) -> None:
    """Draw the first of two models less the second, with what its intervals are."""
    (first, second), selection, known = pair, of.selection, of.models_by_name
    one, other = (_cells(selection, asked, axes, transfer_frames.rows_of_model(gaps, BY, known[name]), name) for name in pair)
    drawn = partial(
        figures.difference,
        asked=asked,
        axes=axes,
        first=first,
        second=second,
        notes=[list(row) for row in why_missing(one, first, other, second) or ()],
        order=order,
        opened=open_groups,
    )
    sides = {"by": BY, **vars(asked), "first": list(known[first]), "second": list(known[second])}
    if over_seeds := any(map(of.is_several, pair)):
        less = frames.recipe(selection, partial(compared.compared_over_seeds, seeds=of.names, **sides))
    else:
        less = frames.recipe(selection, partial(compared.compared, workspaces=workspaces(), **sides))
    figure.draw(
        less.with_chart(drawn),
        name=f"{asked.name}, difference: {first} − {second}",
        card=directions.card_of(asked),
        alt=f"{asked.name}, difference: {first} − {second}",
    )
    st.caption(_hatched(cooked.rows(less), over_seeds=over_seeds) if open_groups is None else OF_GROUPS)


def _hatched(rows: pd.DataFrame, *, over_seeds: bool) -> str:
    """Say what is hatched in a difference, and what its intervals are."""
    own = rows[rows["interval"] != ""]
    if own.empty:
        return ONE_SEED if over_seeds else UNCERTAIN
    widest = int((own["interval"] == "widest").sum())
    doubtful = f"Hatched, {int((own['p_corrected'] >= LEVEL).sum())} of {len(own)}: {CORRECTED}"
    if not widest:
        return f"{doubtful} {OVER_SEEDS if over_seeds else PAIRED}"
    which = "Intervals are" if widest == len(own) else f"{PAIRED} In {count(widest, 'cell')} it is"
    return f"{doubtful} {which} {WIDEST}."


def _cells(selection: Selection, asked: Asked, axes: Axes, rows: pd.DataFrame, name: str) -> Grid:
    behind, errors = directions.runs_behind(selection, asked, rows), directions.reached(selection, asked, rows)
    return figures.cells_of(rows, asked=asked, axes=axes, title=name, runs=behind, reached=errors)
