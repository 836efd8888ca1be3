"""In which order the languages of a matrix stand: the control; the orders are in `backend.figures.ordering`."""

from __future__ import annotations

import streamlit as st

from backend.charts.languages import Order

ORDERS: tuple[Order | str, ...] = ("name", "family", "script", "clustering", "mean")


def choose() -> str:
    """Return the select box."""
    help_ = "Mean: the best source on top, the easiest target at the left. Clustering: like values side by side."
    return st.selectbox("Order", ORDERS, key="order", bind="query-params", width=150, help=help_)
