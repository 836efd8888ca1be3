"""In which order languages stand: the controls; the orders are in `backend.charts.languages` and `backend.figures.ordering`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import streamlit as st

from isogloss.backend.charts.languages import GROUPED, Order
from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.figures.collapsed import MANY as COLLAPSED

ORDERS: tuple[Order | str, ...] = ("name", *GROUPED, "clustering", "mean")

PINNED_KEY = "pinned"
MANY = 15
"""More languages than this stand by family at first: their names alone say little of which are alike."""


def of_languages(amount: int) -> Order:
    """Draw the select box of a figure of so many languages."""
    orders: tuple[Order, ...] = get_args(Order)
    usual = orders.index("family" if amount > MANY else "name")
    return st.selectbox("Languages by", orders, usual, key="order", bind="query-params", width=160)


def choose_pinned(languages: Sequence[str]) -> tuple[str, ...]:
    """Draw the choice of languages that stand first, whatever the order: none at first, and not offered of few."""
    if len(languages) <= MANY and not st.session_state.get(PINNED_KEY) and PINNED_KEY not in st.query_params:
        return ()
    if PINNED_KEY in st.session_state:  # of other languages
        st.session_state[PINNED_KEY] = [tag for tag in st.session_state[PINNED_KEY] if tag in languages]
    chosen = st.multiselect(
        "First",
        list(languages),
        format_func=lambda tag: language(tag).name,
        key=PINNED_KEY,
        bind="query-params",
        placeholder="None pinned",
        width=150,
        help="These languages stand first, whatever the order.",
    )
    return tuple(chosen)


def choose(amount: int) -> str:
    """Draw the select box of a matrix of languages trained on and evaluated in, `amount` on its longer side."""
    help_ = "Mean: the best source on top, the easiest target at the left. Clustering: like values side by side."
    usual = ORDERS.index("family" if amount > COLLAPSED else "name")
    return str(st.selectbox("Languages by", ORDERS, usual, key="order", bind="query-params", width=150, help=help_))
