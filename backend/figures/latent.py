"""The latent language drawn: a line a language over layers or checkpoints, languages by layers, and single words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, Literal

from isogloss.backend.charts.curves import curves
from isogloss.backend.charts.languages import Order, language_heatmap
from isogloss.backend.charts.parts.axes import StepAxis
from isogloss.backend.charts.parts.theme import colours_of
from isogloss.backend.corpora.languages.languages import name_of
from isogloss.backend.experiments.latent.family import MEASURES
from isogloss.backend.figures.collapsed import collapsed
from isogloss.backend.figures.languages import language_cells
from isogloss.backend.figures.layers import LAYER
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    import plotly.graph_objects as go

MASS = "Probability of a language's words"
ENTROPY = MEASURES["latent_entropy"].axis


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
    """Draw a line a language over layers or checkpoints: `rows` have language, `x`, value, low, high, n."""
    names = named(languages, pivot=pivot, source=source, target=target)
    first = [target, pivot, *([source] if source else []), *languages]
    ordered = list(dict.fromkeys(tag for tag in first if tag in names))
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
        height=440,
        form=".3g",
    )
    return figure.update_yaxes(exponentformat="none")  # not 500µ


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
