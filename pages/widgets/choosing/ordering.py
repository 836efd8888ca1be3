"""In which order languages stand: the controls; the orders are in `backend.charts.languages` and `backend.figures.ordering`."""

from __future__ import annotations

from typing import get_args

import streamlit as st

from isogloss.backend.charts.languages import GROUPED, Order

ORDERS: tuple[Order | str, ...] = ("name", *GROUPED, "clustering", "mean")


MANY = 15
"""More languages than this stand by family at first: their names alone say little of which are alike."""


def of_languages(amount: int) -> Order:
    """Draw the select box of a figure of so many languages."""
    orders: tuple[Order, ...] = get_args(Order)
    usual = orders.index("family" if amount > MANY else "name")
    return st.selectbox("Languages by", orders, usual, key="order", bind="query-params", width=160)


def choose() -> str:
    """Draw the select box of a matrix of languages trained on and evaluated in."""
    help_ = "Mean: the best source on top, the easiest target at the left. Clustering: like values side by side."
    return st.selectbox("Languages by", ORDERS, key="order", bind="query-params", width=150, help=help_)
