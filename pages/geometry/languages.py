"""Languages × checkpoints or layers: a language's own measure, or the mean over its pairs, such as those with one pivot."""

from __future__ import annotations

from functools import partial

import plotly.graph_objects as go
import streamlit as st

from isogloss.backend.experiments.abx import queries as abx_queries
from isogloss.backend.experiments.frames import rows_with
from isogloss.backend.experiments.geometry import queries
from isogloss.backend.experiments.geometry.measures import KINDS
from isogloss.backend.experiments.registry import bounds_of
from isogloss.backend.figures import geometry as figures
from isogloss.backend.figures.checkpoints import checkpoint_axis, named_checkpoints
from isogloss.backend.figures.layers import LAYER
from isogloss.pages.geometry.captions import tell
from isogloss.pages.geometry.cards import CARDS
from isogloss.pages.geometry.selection import Selection, choose_measure
from isogloss.pages.shared.abx import recipes
from isogloss.pages.widgets.choosing import more, opened, seeds
from isogloss.pages.widgets.choosing.choices import segments
from isogloss.pages.widgets.choosing.opened import Rows
from isogloss.pages.widgets.choosing.seeds import Group
from isogloss.pages.widgets.figures import colours, figure

COLUMNS = "Layers: of each model's last chosen checkpoint. Checkpoints: of the chosen layers the mean, or the highest."


def draw(selection: Selection) -> None:
    """Draw a heatmap a model."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = choose_measure(selection)
        usual = "Checkpoints" if selection.is_series else "Layers"
        columns = segments("Columns", ("Checkpoints", "Layers"), "across", usual, COLUMNS)
        of_layers = segments("Of layers", ("Mean", "Highest"), "of_layers") if columns == "Checkpoints" else "Mean"
        options = more.view_options()
    with options:
        rows = opened.choose(selection.languages)
        normalised = st.toggle("Each language on its own scale", key="normalised", bind="query-params")
        fitted = colours.fitted("from 0 to 1", disabled=normalised)
        groups = seeds.choose(selection.models)
    drawn = partial(
        figures.by_language,
        metric=metric,
        languages=list(selection.languages),
        **rows.options,
        normalised=normalised,
        fitted=fitted,
    )
    for group in groups:
        if group.of(selection.computed):
            _draw(selection.of(metric), group, metric, columns, of_layers, rows, drawn)
    seeds.tell(groups)
    of = "Mean over each language's pairs" if KINDS[metric].of == "pair" else "Each language's own"
    pivot = " To look at one pivot, such as English in MEXA: Options, Pairs, Of one language." if metric == "mexa" else ""
    tell(selection, metric, of)
    if pivot:
        st.caption(pivot)


def _draw(
    selection: Selection,
    group: Group,
    metric: str,
    columns: str,
    of_layers: str,
    rows: Rows,
    drawn: partial[go.Figure],
) -> None:
    layers, computed = selection.layers_of(group.first), group.columns(selection.computed)
    only, named = partial(rows_with, metric=[metric]), KINDS[metric].measure.title
    if columns == "Layers":
        last, of = computed[-1:], group.at(computed[-1], selection.computed)
        chosen = (only, partial(rows_with, layer=layers), *group.steps(last, of, bounds_of(metric)))
        recipe = recipes.scores(selection, abx_queries.by_language_and_layer, *chosen, of=of)
        over = {layer: str(layer) for layer in layers}
        chart = partial(drawn, title=group.titled(last[0]), column="layer", columns=over, column_title=LAYER)
    else:
        shown, of = group.columns(selection.checkpoints), group.of(selection.computed)
        means = group.steps(shown, of, bounds_of(metric))
        if of_layers == "Mean":
            recipe = recipes.scores(selection, abx_queries.by_language, only, *means, of=of, layers=layers)
        else:
            highest = partial(queries.highest_over_layers, layers=layers)
            recipe = recipes.scores(selection, abx_queries.by_language_and_layer, only, *means, highest, of=of)
        axis = checkpoint_axis(shown, selection.by)
        chart = partial(drawn, title=group.name, columns=named_checkpoints(shown, selection.by), column_title=axis)
    picked = figure.draw(
        recipe.with_chart(chart),
        name=f"{group.name} {named} by language and {columns.lower()[:-1]}",
        card=CARDS[metric],
        alt=f"{named} of {group.name} by language and {columns.lower()[:-1]}",
        clicks=opened.clicks(rows, len(chart.keywords["columns"])),
    )
    opened.follow(picked, "Languages", rows.opened)
