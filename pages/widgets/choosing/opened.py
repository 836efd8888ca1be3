"""Many languages in groups: which groups are open, by a control in the URL and by clicks on their rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from isogloss.backend.charts.languages import GROUPED, Order
from isogloss.backend.charts.parts.click import clickable
from isogloss.backend.figures.collapsed import MANY, drawn_rows
from isogloss.pages.widgets.choosing.cell import open_cell
from isogloss.pages.widgets.choosing.ordering import of_languages

KEY = "opened"
HELP = "Rows are means of groups. A click on a row shows its languages below, or hides them."


def choose(languages: Sequence[str]) -> tuple[Order, list[str] | None]:
    """Draw the order and, of many languages that stand in groups, which are open; None where nothing is collapsed."""
    order = of_languages(len(languages))
    return order, choose_open(languages, order)


def choose_open(languages: Sequence[str], order: str) -> list[str] | None:
    """Draw which groups of many languages are open, where they stand in groups; None where nothing is collapsed."""
    by: Order | None = next((each for each in GROUPED if each == order), None)
    rows = drawn_rows(languages, by, []) if by and len(languages) > MANY else None
    if rows is None:
        return None
    groups = [group for group, _ in rows]
    if KEY in st.session_state:  # of another order
        st.session_state[KEY] = [group for group in st.session_state[KEY] if group in groups]
    return st.multiselect(
        "Open", groups, key=KEY, bind="query-params", help=HELP, placeholder=f"None of {len(groups)}", width=260
    )


def clicks(
    languages: Sequence[str], order: Order, opened: list[str] | None, columns: int
) -> Callable[[go.Figure], go.Figure] | bool:
    """Return what makes the rows of `columns` cells clickable, for `figure.draw`; False where nothing is collapsed."""
    rows = drawn_rows(languages, order, opened)
    if rows is None:
        return False
    custom = [[[group]] * columns for group, _ in rows]
    return lambda drawn: clickable(drawn, custom)


def clicks_on_pairs(
    languages: Sequence[str], order: Order, opened: list[str] | None, *, panels: int = 1
) -> Callable[[go.Figure], go.Figure] | bool:
    """Return what makes a matrix of groups clickable, for `figure.draw`, but for pairs of languages; False as in `clicks`.

    `panels` is how many matrices stand side by side.
    """
    rows = drawn_rows(languages, order, opened)
    if rows is None:
        return False
    custom = [[None if tag and to else [group, other] for other, to in rows] for group, tag in rows]
    return lambda drawn: clickable(drawn, *[custom] * panels)


def toggled(opened: Sequence[str], *groups: str) -> list[str]:
    """Return which groups are open after a click on a cell of these: they are opened, or closed where all were open."""
    if set(groups) <= set(opened):
        return [each for each in opened if each not in groups]
    return list(dict.fromkeys([*opened, *groups]))


def follow(picked: list[Any], view: str, opened: list[str] | None) -> None:
    """Open the group, or the two, that were clicked in a figure of `view`, or close them."""
    if picked and opened is not None:
        open_cell(view, **{KEY: toggled(opened, *picked)})
