"""Layer × checkpoint heatmaps of a probe's score, of a language or the mean; a click on a cell opens what was told wrongly."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.charts.parts.click import clickable
from isogloss.backend.experiments.probing import queries
from isogloss.backend.experiments.registry import bounds_of
from isogloss.backend.figures import probing as figures
from isogloss.backend.figures.checkpoints import checkpoint_axis, named_checkpoints
from isogloss.pages.probing import frames
from isogloss.pages.probing.cards import CARDS
from isogloss.pages.probing.frames import ProbedPart
from isogloss.pages.probing.selection import Selection
from isogloss.pages.widgets.choosing import more, seeds
from isogloss.pages.widgets.choosing.cell import open_cell
from isogloss.pages.widgets.choosing.seeds import Group
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.runs import watched


@dataclass(frozen=True)
class _Found:
    """The scores of a model."""

    group: Group
    wanted: ProbedPart
    recipe: Recipe

    @property
    def data(self) -> pd.DataFrame:
        return cooked.rows(self.recipe)


def draw(selection: Selection) -> None:
    """Draw a heatmap a model: layers and mixes of them × checkpoints."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = frames.choose_measure(selection)
        sources, targets, shown = frames.choose_pair(selection)
        with more.view_options() if metric in figures.FIXED or seeds.are_there(selection.models) else nullcontext():
            fitted = frames.fitted(metric)
            groups = seeds.choose(selection.models)
    if metric in frames.OWN and targets:
        shown = shown.split(" → ")[0]
        st.caption("Of the language trained on alone: the mean of those that are tested in it too.")
    parts = [(group, frames.part(selection, of=group.models, sources=sources, targets=targets)) for group in groups]
    parts_drawn = [_Found(group, wanted, _recipe(wanted, metric, group)) for group, wanted in parts if wanted.of]
    parts_drawn = [each for each in parts_drawn if len(each.data)]
    if not parts_drawn:
        frames.say_empty()
        return
    values = pd.concat([each.data["value"] for each in parts_drawn])
    for each in parts_drawn:
        _heatmap(selection, each, metric, shown, (float(values.min()), float(values.max())), fitted)
    seeds.tell(groups)
    st.caption("mean: one probe of the mean of all layers; mix: of their learned mix. Click on a cell: what it misclassified.")


def _heatmap(
    selection: Selection, part: _Found, metric: str, shown: str, ends: tuple[float, float], fitted: bool | None
) -> None:
    """Draw the heatmap of one model; all models share the scores at the `ends` of the colours, where they are `fitted`."""
    group, data, wanted = part.group, part.data, part.wanted
    model, checkpoints = group.first, group.columns(selection.checkpoints)
    layers = selection.layers_of(model)
    drawn = partial(
        figures.layers_by_checkpoints,
        metric=metric,
        unit=selection.data.rows,
        layers=layers,
        columns=named_checkpoints(checkpoints, selection.by),
        column_title=checkpoint_axis(checkpoints, selection.by),
        title=f"{group.name}: {shown}",
        ends=ends,
        fitted=fitted,
    )
    custom = [[[model.name, each.label, name] for each in checkpoints] for name in figures.layer_names(data, layers)]
    picked = figure.draw(
        part.recipe.with_chart(drawn),
        name=f"{figures.MEASURES[metric]} {group.name} {shown} layers by checkpoints",
        card=CARDS[metric],
        one_seed="" if group.is_several else wanted.one_seed,
        alt=f"{figures.MEASURES[metric]} of {group.name} by layer and checkpoint, {shown}",
        clicks=lambda drawn: clickable(watched.marked(drawn, model, checkpoints), custom),
    )
    if picked:
        name, checkpoint, probe = picked
        pair = {"pair_source": wanted.sources[0], "pair_target": (wanted.targets or wanted.sources)[0]}
        open_cell("Errors", at_model=name, at_checkpoint=checkpoint, at_probe=probe, **pair)


def _recipe(wanted: ProbedPart, metric: str, group: Group) -> Recipe:
    """Return the recipe of a heatmap's rows."""
    means = group.steps(group.columns(wanted.selection.checkpoints), wanted.of, bounds_of(metric))
    return frames.recipe(wanted, queries.grid, [metric], *means, *frames.steps_to(wanted.selection, *figures.MIXES))
