"""The latent language drawn: a line a language over layers or checkpoints, languages by layers, and single words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, Literal

from isogloss.backend.charts.curves import curves
from isogloss.backend.charts.languages import Order, language_heatmap
from isogloss.backend.charts.parts.apart import OTHERS
from isogloss.backend.charts.parts.axes import StepAxis
from isogloss.backend.charts.parts.lines import place_legend
from isogloss.backend.charts.parts.text import safe
from isogloss.backend.charts.parts.theme import COLOURS, colours_of
from isogloss.backend.corpora.languages.languages import name_of
from isogloss.backend.experiments.latent.family import MEASURES
from isogloss.backend.figures.collapsed import collapsed
from isogloss.backend.figures.languages import language_cells
from isogloss.backend.figures.layers import LAYER
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    from collections.abc import Mapping, Set

    import pandas as pd
    import plotly.graph_objects as go

MASS = "Probability of a language's words"
ENTROPY = MEASURES["latent_entropy"].axis
MANY = 14
"""More lines than this are not all in colour."""


def named(languages: Sequence[str], *, pivot: str, source: str | None, target: str) -> dict[str, str]:
    """Return what a figure calls each language: its name, and whether it is the answer's, that asked from, or the pivot."""
    parts = {pivot: "pivot"} | ({source: "asked from"} if source else {}) | {target: "answer"}
    return {tag: f"{name_of(tag)} ({parts[tag]})" if tag in parts else name_of(tag) for tag in languages}


@in_recipes
def over(
    rows: pd.DataFrame,
    *,
    x: Literal["layer", "step"],
    languages: Sequence[str],
    pivot: str,
    source: str | None,
    target: str,
    title: str,
    scale: StepAxis = "linear",
    axis: str = "",
) -> go.Figure:
    """Draw a line a language over layers or checkpoints: `rows` have language, `x`, value, low, high, n.

    Of many languages those with a part and those told most anywhere are in colour, all others in grey.
    """
    names = named(languages, pivot=pivot, source=source, target=target)
    first = [target, pivot, *([source] if source else []), *languages]
    ordered = list(dict.fromkeys(tag for tag in first if tag in names))
    shown = _in_colour(rows, ordered, parts={pivot, source, target})
    ordered = [*shown, *(tag for tag in ordered if tag not in shown)]
    place = {tag: number for number, tag in enumerate(ordered)}
    data = rows.assign(model=rows["language"].map(names)).sort_values(
        "language", key=lambda tags: tags.map(place), kind="stable"
    )
    figure = curves(
        data,
        x=x,
        axis=axis,
        value_title=MASS,
        title=title,
        step_scale=scale,
        colours=colours_of(names[tag] for tag in ordered),
        chance=None,
        n_title="Words",
        bands=len(shown) == len(ordered),
        panels=len(shown) < len(ordered),  # no names at the ends of the lines: grey ones have none
        height=440,
        form=".3g",
    )
    figure.update_yaxes(exponentformat="none")  # not 500µ
    return figure if len(shown) == len(ordered) else _others_in_grey(figure, [names[tag] for tag in shown])


def _in_colour(rows: pd.DataFrame, ordered: Sequence[str], parts: Set[str | None]) -> list[str]:
    """Return the languages that have a colour of their own, in order: of many those with a part and those told most."""
    if len(ordered) <= MANY:
        return list(ordered)
    most = rows.groupby("language")["value"].max().sort_values(ascending=False, kind="stable").index
    first = [*(tag for tag in ordered if tag in parts), *(tag for tag in most if tag in ordered and tag not in parts)]
    return first[: len(COLOURS)]


def _others_in_grey(figure: go.Figure, shown: Sequence[str]) -> go.Figure:
    """Draw all lines but those of the languages `shown` thin, in grey and below these, under one name in the legend."""
    kept = {safe(name, None) for name in shown}
    others = [trace for trace in figure.data if trace.meta not in kept]
    for trace in others:
        trace.line.update(color=OTHERS, width=1, dash="solid")
        trace.marker.update(color=OTHERS, size=4, symbol="circle")
        trace.showlegend = trace is others[0]
    others[0].name = f"{len(others)} others"
    figure.data = [*others, *(trace for trace in figure.data if trace.meta in kept)]
    figure.layout.height = 440
    place_legend(figure, len(shown) + 1, title=True)
    return figure


@in_recipes
def entropy(rows: pd.DataFrame, *, title: str, colours: Mapping[str, str]) -> go.Figure:
    """Draw the entropy of what each layer tells, a line a model and checkpoint: model, line, layer, value, low, high, n."""
    return curves(rows, x="layer", value_title=ENTROPY, title=title, colours=colours, chance=None, n_title="Words", height=320)


@in_recipes
def languages_by_layers(
    rows: pd.DataFrame,
    *,
    languages: Sequence[str],
    layers: Sequence[int],
    title: str,
    order: Order,
    fitted: bool | None = None,
    opened: Collection[str] | None = None,
    pinned: Sequence[str] = (),
) -> go.Figure:
    """Draw the probability of each language's words by layer: `rows` have language, layer, value, low, high, n.

    `opened`, `pinned`: as for `collapsed`.
    """
    columns: dict[Any, str] = {layer: str(layer) for layer in layers}
    cells = language_cells(rows, languages, columns, order, pinned, row="language", column="layer", title=title)
    return language_heatmap(
        collapsed(cells, languages, order, opened, MEASURES["latent_mass"].bounds, pinned),
        colour_title=MASS,
        column_title=LAYER,
        scaled=None,
        chance=None,
        range=(0.0, 1.0),
        fitted=fitted,
        n_title="Words",
        form=".2g",
    )


@in_recipes
def one_word(
    rows: pd.DataFrame, *, languages: Sequence[str], pivot: str, source: str | None, target: str, title: str
) -> go.Figure:
    """Draw what each layer tells of one word, a line a language: `rows` have language, layer, mass."""
    return over(
        rows.assign(value=rows["mass"]),
        x="layer",
        languages=languages,
        pivot=pivot,
        source=source,
        target=target,
        title=title,
    )
