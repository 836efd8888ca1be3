"""Language × checkpoint heatmaps, each language on its own scale with its peak framed (de Seyssel et al. 2025, figure 10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from isogloss.backend.charts.parts.click import clickable
from isogloss.backend.experiments.probing import frames as probing_frames
from isogloss.backend.experiments.probing import queries
from isogloss.backend.experiments.probing.queries import At
from isogloss.backend.experiments.registry import bounds_of
from isogloss.backend.figures import probing as figures
from isogloss.backend.figures.checkpoints import checkpoint_axis, named_checkpoints
from isogloss.backend.figures.languages import ordered_languages
from isogloss.backend.figures.probing import ACCURACY, MAJORITY
from isogloss.backend.models.entry import Model
from isogloss.pages.probing import beside, frames
from isogloss.pages.probing.cards import CARDS
from isogloss.pages.probing.frames import ProbedPart
from isogloss.pages.probing.selection import Selection
from isogloss.pages.widgets.choosing import more, opened, seeds
from isogloss.pages.widgets.choosing.cell import open_cell
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.choosing.opened import Rows
from isogloss.pages.widgets.choosing.seeds import Group
from isogloss.pages.widgets.choosing.selecting import language_name
from isogloss.pages.widgets.figures import cooked, figure

OWN = "Each language itself"


@dataclass(frozen=True)
class Shape:
    """What is drawn, and how."""

    metric: str
    at: At
    source: str | None
    """The language trained on; None for each one itself."""
    rows: Rows
    normalised: bool
    fitted: bool | None


def draw(selection: Selection) -> None:
    """Draw a heatmap a model: the language tested in × checkpoint."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = frames.choose_measure(selection)
        at = frames.choose_at(selection, selection.models)
        source = choose_source(selection, metric)
        options = more.view_options()
    with options:
        rows = opened.choose(selection.targets or selection.sources)
        normalised = st.toggle("Each language on its own scale", value=True, key="normalised", bind="query-params")
        fitted = frames.fitted(metric, disabled=normalised)
        others = beside.choose(selection)
        groups = seeds.choose(selection.models)
    shape = Shape(metric, at, source, rows, normalised, fitted)
    drawn = False
    for group in groups:
        for place, each in zip(st.columns(1 + len(others)), [selection, *others], strict=True):
            with place:
                drawn |= _heatmap(each, group, _shape_of(shape, each), beside.heading(each, others))
    if not drawn:
        frames.say_empty()
    seeds.tell(groups)


def _shape_of(shape: Shape, selection: Selection) -> Shape:
    """Return the shape for other data: accuracy where they lack the measure, each language itself where the source."""
    metric = shape.metric if shape.metric in frames.measures(selection) else ACCURACY
    return replace(shape, metric=metric, source=shape.source if shape.source in selection.sources else None)


def choose_source(selection: Selection, metric: str) -> str | None:
    """Draw the box of the language trained on, where probes are tested in others; None is each language itself."""
    if not selection.targets or metric in frames.OWN:
        return None
    own = set(selection.computed_sources) & set(selection.computed_targets)
    names = ({OWN: None} if own else {}) | {language_name(tag): tag for tag in selection.computed_sources}
    return names[select("Trained on", list(names), "of_source", width=200)]


def _heatmap(selection: Selection, group: Group, shape: Shape, heading: str) -> bool:
    """Draw the heatmap of one model, its title beginning with what it is `heading`; whether there was anything to draw."""
    wanted = part_of(selection, group.models, shape.source)
    if not wanted.of:
        return False
    model, checkpoints = group.first, group.columns(selection.checkpoints)
    means = group.steps(checkpoints, wanted.of, bounds_of(shape.metric))
    steps = partial(probing_frames.beside_level, metric=shape.metric), partial(probing_frames.normalised, by="target")
    recipe = frames.recipe(wanted, queries.by_pair, [shape.metric, MAJORITY], *means, *steps, at=shape.at)
    data = cooked.rows(recipe)
    if data.empty:
        return False
    trained = "" if shape.source is None else f", trained on {language_name(shape.source)}"
    tags = list(wanted.targets or wanted.sources)
    columns = named_checkpoints(checkpoints, wanted.selection.by)
    drawn = partial(
        figures.by_language,
        metric=shape.metric,
        unit=selection.data.rows,
        languages=tags,
        columns=columns,
        column_title=checkpoint_axis(checkpoints, wanted.selection.by),
        **shape.rows.options,
        normalised=shape.normalised,
        fitted=shape.fitted,
        title=f"{heading}{group.name}{trained}: {frames.at_words(shape.at)}",
    )
    across = {"row": "target", "column": "checkpoint"}
    down = shape.rows.drawn(tags) or [
        ("", tag) for tag in ordered_languages(data, tags, columns, shape.rows.order, shape.rows.pinned, **across)[0]
    ]
    custom = [[[model.name, each.label, tag] if tag else [group] for each in checkpoints] for group, tag in down]
    picked = figure.draw(
        recipe.with_chart(drawn),
        name=f"{heading}{figures.MEASURES[shape.metric]} {group.name}{trained} by language",
        card=CARDS[shape.metric],
        one_seed="" if group.is_several else wanted.one_seed,
        alt=f"{figures.MEASURES[shape.metric]} of {group.name} by language and checkpoint",
        clicks=lambda drawn: clickable(drawn, custom),
    )
    if len(picked) == 1:
        opened.follow(picked, "Languages", shape.rows.opened)
    elif picked:
        name, checkpoint, tag = picked
        ends = {"pair_source": shape.source or tag, "pair_target": tag}
        open_cell("Errors", at_model=name, at_checkpoint=checkpoint, **frames.probe_at(shape.at), **ends)
    return True


def part_of(selection: Selection, models: Sequence[Model], source: str | None) -> ProbedPart:
    """Return the checkpoints of a model, or of its seeds, that have every language, trained on `source` or each on itself."""
    if source is not None:
        return frames.part(selection, of=models, sources=[source])
    own = [tag for tag in selection.computed_sources if not selection.targets or tag in selection.targets]
    return frames.part(selection, of=models, sources=own, targets=[])
