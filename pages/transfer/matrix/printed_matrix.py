"""Figure 6 of the paper as it is printed: the transfer gap of XLM-R on XNLI between 15 languages."""

from __future__ import annotations

from functools import partial

import streamlit as st

from backend.charts.heatmap import heatmap_of
from backend.charts.parts.framed import frame_cells
from backend.experiments.frames import percent
from backend.experiments.transfer import directions as transfer_directions
from backend.experiments.transfer.printed import tables as printed
from pages.transfer.shared.cards import TRANSFER_GAP
from pages.transfer.shared.directions import Asked
from pages.widgets import figure, notebook, ordering
from pages.widgets.words import plain

GAP = Asked("gap")


def draw(order: str) -> None:
    """Draw the printed matrix with its languages in `order` (of `ordering.ORDERS`)."""
    found = percent(printed.transfer_gaps())
    tags = tuple(sorted(found["source"].unique()))
    axes = ordering.axes(order, found, tags, tags, highest_first=False)
    drawn = heatmap_of(
        ordering.grid(found, axes, f"XLM-R on XNLI, as printed ({printed.source('figure 6')})"),
        colour_title=GAP.title,
        row_title=ordering.ROWS,
        column_title=ordering.COLUMNS,
        range=None,
        chance=None,
        show_values=True,
        form=".1f",
    )
    best = transfer_directions.best(found, ["model"], higher=False)
    frame_cells(drawn, ordering.places(best, axes), GAP.best)
    st.caption(
        f"Printed in {plain(printed.source('figure 6'))}, not computed here: transfer gap in {GAP.unit}. Framed: {GAP.best}."
    )
    figure.show(
        drawn,
        name="Transfer gap XLM-R XNLI as printed in figure 6",
        data=found,
        card=TRANSFER_GAP,
        snippet=notebook.python(partial(printed.transfer_gaps), partial(percent)),
        alt="The printed transfer gap of XLM-R on XNLI from every source language to every target language",
    )
