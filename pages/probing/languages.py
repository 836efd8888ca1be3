"""Language × checkpoint heatmaps, each language on its own scale with its peak framed (de Seyssel et al. 2025, figure 10)."""

from __future__ import annotations

from functools import partial
from typing import get_args

import streamlit as st

from backend.charts.grid import pivot
from backend.charts.languages import Order, groups_of, language_heatmap, order_languages
from backend.charts.parts.click import clickable
from backend.charts.parts.framed import frame_cells
from backend.experiments.frames import rows_with
from backend.experiments.probing import frames as probing_frames
from backend.experiments.probing import queries
from backend.experiments.probing.queries import At
from backend.models.entry import Model
from pages.probing import frames
from pages.probing.cards import CARDS
from pages.probing.selection import Selection
from pages.widgets import figure, notebook
from pages.widgets.cell import open_cell
from pages.widgets.choices import select
from pages.widgets.selecting import checkpoint_axis, checkpoint_names, language_name, language_table

OWN = "Each language itself"


def draw(selection: Selection) -> None:
    """Draw a heatmap a model: the language tested in × checkpoint."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = frames.choose_measure(selection)
        at = frames.choose_at(selection, selection.models)
        source = _source(selection) if selection.targets and metric not in frames.OWN else None
        order: Order = st.selectbox("Order", get_args(Order), key="order", bind="query-params", width=150)
    normalised = st.toggle("Each language on its own scale", value=True, key="normalised", bind="query-params")
    drawn = [_model(selection, model, metric, at, source, order, normalised) for model in selection.models]
    if not any(drawn):
        frames.say_empty()


def _source(selection: Selection) -> str | None:
    """The language trained on; None for each one itself."""
    own = set(selection.sources) & set(selection.targets)
    names = ({OWN: None} if own else {}) | {language_name(tag): tag for tag in selection.sources}
    return names[select("Trained on", list(names), "of_source", width=200)]


def _model(selection: Selection, model: Model, metric: str, at: At, source: str | None, order: Order, normalised: bool) -> bool:
    """Draw the heatmap of one model; whether there was anything to draw."""
    own = tuple(tag for tag in selection.sources if not selection.targets or tag in selection.targets)
    sources, targets = (own, ()) if source is None else ((source,), selection.targets)
    languages = targets or sources
    wanted = frames.part(selection, of=[model], sources=sources, targets=targets)
    if not wanted.of:
        return False
    more = {"at": at}
    steps = partial(rows_with, metric=[metric]), partial(probing_frames.normalised, by="target")
    data = notebook.apply(frames.rows(wanted, queries.by_pair, [metric], **more), *steps)
    if data.empty:
        return False
    checkpoints, meta = selection.checkpoints(model), language_table(tuple(languages))
    keys = [each.fingerprint for each in checkpoints]
    plain = pivot(data, row="target", column="checkpoint", rows=list(meta["tag"]), columns=keys)
    places = order_languages(order, plain.values, meta)
    tags = list(meta["tag"].iloc[places])
    trained = "" if source is None else f", trained on {language_name(source)}"
    cells = pivot(
        data,
        row="target",
        column="checkpoint",
        rows=tags,
        columns=keys,
        row_labels=list(meta["name"].iloc[places]),
        column_labels=checkpoint_names(checkpoints),
        title=f"{model.name}{trained}: {frames.at_words(at)}",
        row_groups=groups_of(order, meta, places),
    )
    drawn = language_heatmap(
        cells,
        colour_title=frames.title(selection, metric),
        column_title=checkpoint_axis(checkpoints),
        normalised=normalised,
        chance=None,
        n_title=selection.data.rows.capitalize(),
    )
    best = probing_frames.peaks(data, by="target")
    spots = [(tags.index(t), keys.index(c)) for t, c in zip(best["target"], best["checkpoint"], strict=True)]
    frame_cells(drawn, spots, f"the checkpoint of the language's highest {frames.MEASURES[metric].lower()}")
    custom = [[[model.name, each.label, tag] for each in checkpoints] for tag in tags]
    picked = figure.show(
        clickable(drawn, custom),
        name=f"{frames.MEASURES[metric]} {model.name}{trained} by language",
        data=data,
        card=CARDS[metric],
        snippet=frames.python(wanted, queries.by_pair, [metric], *steps, **more),
        alt=f"{frames.MEASURES[metric]} of {model.name} by language and checkpoint",
        clicks=True,
    )
    if picked:
        name, checkpoint, tag = picked
        ends = {"pair_source": source or tag, "pair_target": tag}
        open_cell("Errors", at_model=name, at_checkpoint=checkpoint, **frames.probe_at(at), **ends)
    return True
