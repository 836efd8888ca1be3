"""Figure 6 of the paper as it is printed: the transfer gap of XLM-R on XNLI between 15 languages."""

from __future__ import annotations

from functools import partial

import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.experiments.frames import percent
from isogloss.backend.experiments.transfer.printed import tables as printed
from isogloss.backend.figures.transfer import matrices as figures
from isogloss.backend.figures.transfer.asked import Asked
from isogloss.pages.transfer.shared.cards import TRANSFER_GAP
from isogloss.pages.widgets.figures import figure
from isogloss.pages.widgets.words import verbatim

GAP = Asked("gap")


def draw(order: str) -> None:
    """Draw the printed matrix with its languages in `order` (of `ordering.ORDERS`)."""
    printed_gaps = percent(printed.transfer_gaps())
    drawn = partial(figures.printed, order=order, title=f"XLM-R on XNLI, as printed ({printed.source('figure 6')})")
    st.caption(
        f"Printed in {verbatim(printed.source('figure 6'))}, not computed here: transfer gap in {GAP.unit}. Framed: {GAP.best}."
    )
    figure.show(
        drawn,
        name="Transfer gap XLM-R XNLI as printed in figure 6",
        data=printed_gaps,
        card=TRANSFER_GAP,
        recipe=Recipe((partial(printed.transfer_gaps), partial(percent))),
        alt="The printed transfer gap of XLM-R on XNLI from every source language to every target language",
    )
