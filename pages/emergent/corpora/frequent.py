"""What each corpus says most often: symbols, n-grams and whole utterances, in its source's own symbols."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.experiments.emergent import frames as emergent_frames
from isogloss.backend.experiments.emergent.statistics import MOST, ORDERS
from isogloss.pages.emergent.corpora import frames
from isogloss.pages.emergent.shared.cards import FREQUENT
from isogloss.pages.emergent.shared.selection import Selection
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.lists import paging
from isogloss.pages.widgets.words import verbatim

KINDS: dict[str, int | None] = {
    "Symbols": 1,
    **{f"{order}-grams": order for order in range(2, ORDERS + 1)},
    "Utterances": None,
}
ROW = 35
"""Pixels."""
PAGE = 12
"""Corpora whose tables are seen at once."""


def draw(selection: Selection) -> None:
    """Draw the most frequent symbols, n-grams or utterances, a table a corpus."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = select("Most frequent", list(KINDS), "kind", width=180)
        most = st.select_slider("How many", [10, 20, MOST], value=10, key="most", bind="query-params", width=180)
    order = KINDS[kind]
    recipe = frames.recipe(selection, partial(emergent_frames.most_frequent, order=order, most=int(most)))
    data = cooked.rows(recipe)
    where, on_page = paging.paged(len(selection.corpora), PAGE)
    columns = where.columns(min(2, len(selection.corpora)))
    for place, name in enumerate([*selection.corpora][on_page]):
        rows = data[data["corpus"] == name]
        with columns[place % len(columns)]:
            st.markdown(f"**{verbatim(name)}**")
            if rows.empty:
                st.caption("No utterance is so long.")
                continue
            _table(selection, name, rows, kind, order)
    figure.beside(name=f"Most frequent {kind.lower()}", card=FREQUENT, recipe=recipe)


def _table(selection: Selection, name: str, rows: pd.DataFrame, kind: str, order: int | None) -> None:
    st.dataframe(
        rows[["place", "symbols", "count"]].assign(percent=100 * rows["share"]),
        hide_index=True,
        height=ROW * (len(rows) + 1) + 3,
        key=f"frequent-{selection.corpora[name].id}-{order}",
        alt=f"Most frequent {kind.lower()} of {name}",
        column_config={
            "place": st.column_config.NumberColumn("", width=40),
            "symbols": st.column_config.TextColumn(kind.removesuffix("s")),
            "count": st.column_config.NumberColumn("Count", format="localized", width="small"),
            "percent": st.column_config.ProgressColumn(
                "Share",
                format="%.2g%%",
                min_value=0.0,
                max_value=100 * float(rows["share"].max()),
                width="small",
                help=f"Percent of all {kind.lower()} of this corpus.",
            ),
        },
    )
