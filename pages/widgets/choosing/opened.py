"""In which order languages stand as rows: which are first, and of many in groups which groups are open, by clicks too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from isogloss.backend.charts.languages import GROUPED, PINNED, Order
from isogloss.backend.charts.parts.click import clickable
from isogloss.backend.figures.collapsed import MANY, drawn_rows
from isogloss.pages.widgets.choosing import ordering
from isogloss.pages.widgets.choosing.cell import open_cell

KEY = "opened"
HELP = "Rows are means of groups. A click on a row shows its languages below, or hides them."


@dataclass(frozen=True)
class Rows:
    """How languages stand as rows of a heatmap."""

    languages: tuple[str, ...]
    order: Order
    opened: list[str] | None
    """Which groups are open; None where nothing is collapsed."""
    pinned: tuple[str, ...]
    """Languages that stand first."""

    @property
    def options(self) -> dict[str, Any]:
        """The keywords of a figure."""
        return {"order": self.order, "opened": self.opened, "pinned": list(self.pinned)}

    def drawn(self, languages: Sequence[str] | None = None) -> list[tuple[str, str | None]] | None:
        """Return group and language of each row of these languages; None where nothing is collapsed."""
        return drawn_rows(self.languages if languages is None else languages, self.order, self.opened, self.pinned)


def choose(languages: Sequence[str]) -> Rows:
    """Draw the order, which languages are first and, of many that stand in groups, which groups are open."""
    order = ordering.of_languages(len(languages))
    return Rows(tuple(languages), order, choose_open(languages, order), ordering.choose_pinned(languages))


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
        "Open", groups, key=KEY, bind="query-params", help=HELP, placeholder=f"None of {len(groups)}", width=200
    )


def clicks(
    rows: Rows, columns: int, *, languages: Sequence[str] | None = None, panels: int = 1
) -> Callable[[go.Figure], go.Figure] | bool:
    """Return what makes the rows of `columns` cells clickable, for `figure.draw`; False where nothing is collapsed.

    `languages` are those drawn, all without any. `panels` is how many heatmaps stand side by side.
    """
    drawn_ones = rows.drawn(languages)
    if drawn_ones is None:
        return False
    custom = [[None if group == PINNED else [group]] * columns for group, _ in drawn_ones]
    return lambda drawn: clickable(drawn, *[custom] * panels)


def clicks_on_pairs(rows: Rows, *, panels: int = 1) -> Callable[[go.Figure], go.Figure] | bool:
    """Return what makes a matrix of groups clickable, for `figure.draw`, but for pairs of languages; False as in `clicks`.

    `panels` is how many matrices stand side by side.
    """
    drawn_ones = rows.drawn()
    if drawn_ones is None:
        return False
    custom = [[None if tag and to else [group, other] for other, to in drawn_ones] for group, tag in drawn_ones]
    return lambda drawn: clickable(drawn, *[custom] * panels)


def toggled(opened: Sequence[str], *groups: str) -> list[str]:
    """Return which groups are open after a click on a cell of these: they are opened, or closed where all were open."""
    meant = [group for group in groups if group != PINNED]
    if set(meant) <= set(opened):
        return [each for each in opened if each not in meant]
    return list(dict.fromkeys([*opened, *meant]))


def follow(picked: list[Any], view: str, opened: list[str] | None) -> None:
    """Open the group, or the two, that were clicked in a figure of `view`, or close them."""
    if picked and opened is not None:
        open_cell(view, **{KEY: toggled(opened, *picked)})
