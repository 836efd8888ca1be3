"""A figure with everything a figure needs: linked by the URL, exported as data or page, explained by its card."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from isogloss.backend import people
from isogloss.backend.boards import export, images, latex, titles
from isogloss.backend.boards.card import Card
from isogloss.backend.boards.origins import provenance
from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.charts.parts import theme
from isogloss.backend.charts.parts.export import to_html
from isogloss.backend.charts.parts.for_print import Width
from isogloss.backend.charts.parts.projector import enlarged
from isogloss.backend.figures.languages import credits_of_calls
from isogloss.backend.files import digest
from isogloss.pages.widgets import fitted
from isogloss.pages.widgets.figures import cooked, pin, present
from isogloss.pages.widgets.links import address
from isogloss.pages.widgets.workspace import workspaces

SHOWN = "shown-by-name"
"""Session state, where Python asks for a view without a browser (`by_name`): what is drawn, by its title, and kept here."""
WIDTHS: dict[Width, str] = {"column": "Column (3.25 in)", "page": "Page (6.75 in)"}


def draw(
    recipe: Recipe,
    *,
    name: str,
    card: Card,
    alt: str,
    clicks: Callable[[go.Figure], go.Figure] | bool = False,
    one_seed: str = "",
) -> list[Any]:
    """Draw what a recipe gives (`recipe.with_chart`), as `show` does: its rows are those that its Python and its pin give.

    A page that looks at the rows first takes them from `cooked.rows`, which keeps them. Raises TypeError for a recipe that
    draws nothing: a table is drawn by its page, with `beside` below it.
    """
    if recipe.chart is None:
        raise TypeError("This recipe draws nothing: give it a chart (`recipe.with_chart`), or draw a table and `beside`.")
    return show(
        recipe.chart,
        name=name,
        data=cooked.rows(recipe),
        card=card,
        recipe=recipe,
        alt=alt,
        clicks=clicks,
        one_seed=one_seed,
    )


def show(
    figure: go.Figure | partial[go.Figure],
    *,
    name: str,
    data: pd.DataFrame,
    card: Card,
    recipe: Recipe,
    alt: str,
    clicks: Callable[[go.Figure], go.Figure] | bool = False,
    one_seed: str = "",
) -> list[Any]:
    """Draw a figure with its exports and its card below; returns the `customdata` of the cell clicked now (empty for none).

    `figure` is the call that draws `data`, the recipe's rows: with it the recipe gives the picture too. `clicks` makes the
    picture clickable (True: it is already); a recipe does without. `name` is the figure's title in exports and, made harmless,
    its files' name. `one_seed` is what the intervals are over where they rest on a single seed, which is then said.
    """
    file = _file(name)
    if isinstance(figure, partial):
        recipe = recipe.with_chart(figure)
    figure = picture(figure, data, clicks)
    key = f"figure-{file}"
    config = theme.config(file)
    picked: list[Any] = []
    if present.is_alone():
        with present.stage():
            st.plotly_chart(enlarged(figure), key=f"{key}-alone", config=config, alt=alt, theme="streamlit", height="stretch")
        return picked
    if clicks:
        event = fitted.chart(figure, key, config=config, alt=alt, on_select="rerun", selection_mode="points")
        points = event.selection.points if event else []
        picked = _newly(list(points[0].get("customdata") or []) if points else [], f"{key}-clicked")
    else:
        fitted.chart(figure, key, config=config, alt=alt)
    if one_seed and data.filter(regex="low$").notna().to_numpy().any():
        st.caption(f"One seed: intervals are over {one_seed}; how other seeds would differ is not in them.")
    beside(name=name, data=data, card=card, recipe=recipe, figure=figure, alt=alt)
    return picked


def picture(
    figure: go.Figure | partial[go.Figure], data: pd.DataFrame, clicks: Callable[[go.Figure], go.Figure] | bool = False
) -> go.Figure:
    """Return what `show` draws."""
    drawn = figure(data) if isinstance(figure, partial) else figure
    return clicks(drawn) if callable(clicks) else drawn


def beside(
    *,
    name: str,
    card: Card,
    recipe: Recipe,
    data: pd.DataFrame | None = None,
    figure: go.Figure | None = None,
    alt: str = "",
) -> None:
    """Draw what stands below every figure or table: its pin, its exports and, in *More*, its card and Python, and *Present*.

    `data` are the recipe's rows where they are at hand.
    """
    if (shown := st.session_state.get(SHOWN)) is not None:
        shown[name] = (recipe, figure)
        return
    data = cooked.rows(recipe) if data is None else data
    file = _file(name)
    key = f"figure-{file}"
    with st.container(horizontal=True, gap="small", key=f"{key}-beside"):
        if not people.refusal("pin"):
            with st.popover("Pin", icon=":material/keep:", type="tertiary", key=f"{key}-pin", on_change="rerun") as pinning:
                if pinning.open:
                    pin.offer(f"{key}-pin", name, recipe, data, figure, card, alt or name)
        with st.popover(
            "Export", icon=":material/download:", type="tertiary", key=f"{key}-export", on_change="rerun"
        ) as export:
            if export.open:
                _exports(figure, name, data, card, recipe, key)
        with st.popover("More", icon=":material/more_horiz:", type="tertiary", key=f"{key}-more", on_change="rerun") as more:
            if more.open:
                if figure is not None:
                    present.button(closes=f"{key}-more")
                about, python = st.tabs(["About", "Python"])
                with about:
                    explain(card)
                    if credits := credits_of_calls(*recipe.calls, recipe.chart):
                        st.caption(f"Of languages: {credits}")
                with python:
                    st.caption("It gives the numbers of this figure, and the figure.")
                    st.code(recipe.python(), language="python")


def _newly(picked: list[Any], memory: str) -> list[Any]:
    """`picked` in the run in which it was clicked alone: the chart keeps its selection for as long as it is on the page."""
    before = st.session_state.get(memory)
    st.session_state[memory] = picked
    return [] if picked == before else picked


def _file(name: str) -> str:
    """A name made harmless for files and keys. Where letters of other scripts would go, the name's hash tells it apart."""
    harmless = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    lost = any(letter.isalnum() and not letter.isascii() for letter in name)
    return f"{harmless}-{digest(name)[:6]}".strip("-") if lost else harmless


def _exports(figure: go.Figure | None, name: str, data: pd.DataFrame, card: Card, recipe: Recipe, key: str) -> None:
    rests_on = provenance(recipe, workspaces(), data)
    file, link = export.file_name(name, rests_on), address.server() + address.shown()
    facts, title = export.words(rests_on, link), titles.made(name, rests_on)

    def offer(label: str, made: Callable[[], bytes], ending: str, kind: str) -> None:
        st.download_button(label, made, f"{file}.{ending}", kind, on_click="ignore", key=f"{key}-{ending}")

    with st.container(horizontal=True, gap="small"):
        offer(f"CSV ({len(data):,} rows)", lambda: export.to_csv(data, facts), "csv", "text/csv")
        offer(
            "Parquet",
            lambda: export.to_parquet(data, facts, rests_on.to_json()),
            "parquet",
            "application/vnd.apache.parquet",
        )
        offer("LaTeX table", lambda: latex.table(data, title, facts).encode(), "tex", "application/x-tex")
        if figure is not None:
            offer("Web page (HTML)", lambda: to_html(figure, title, card.text, data, about=facts).encode(), "html", "text/html")
    if figure is None:
        return
    if images.browser() is None:
        st.caption(images.NO_BROWSER)
        return
    width = st.segmented_control(
        "Picture for print",
        list(WIDTHS),
        format_func=lambda width: WIDTHS[width],
        default="page",
        required=True,
        key=f"{key}-width",
    )
    chosen: Width = "column" if width == "column" else "page"
    about = export.about(title, rests_on, link)
    with st.container(horizontal=True, gap="small"):
        for format, kind in images.KINDS.items():
            label = "PNG (300 dpi)" if format == "png" else format.upper()
            offer(label, partial(images.drawn, figure, format, chosen, about), format, kind)


def explain(card: Card) -> None:
    """Draw the card of a measure."""
    st.markdown(f"**{card.name}**")
    st.markdown(card.question)
    st.latex(card.formula)
    st.markdown(card.reading)
    if card.interval:
        st.markdown(card.interval)
    st.caption(card.source)
    st.code(card.bibtex, language="bibtex")
