"""Curves over layers and over checkpoints, with the controls as lines: random tags, and the most frequent ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import get_args

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.experiments.frames import place_checkpoints
from isogloss.backend.experiments.probing import frames as probing_frames
from isogloss.backend.experiments.probing import queries
from isogloss.backend.experiments.probing.queries import At
from isogloss.backend.experiments.registry import bounds_of
from isogloss.backend.figures import probing_curves as figures
from isogloss.backend.figures.probing import ACCURACY, CONTROL, LENGTH, MEASURES
from isogloss.backend.figures.probing_curves import LINES, Lines
from isogloss.pages.probing import frames
from isogloss.pages.probing.cards import CARDS
from isogloss.pages.probing.frames import ProbedPart
from isogloss.pages.probing.selection import Selection
from isogloss.pages.widgets.choosing import more, panels, seeds
from isogloss.pages.widgets.choosing.cell import open_cell
from isogloss.pages.widgets.choosing.choices import segments
from isogloss.pages.widgets.choosing.seeds import Group
from isogloss.pages.widgets.figures import cooked, figure

HELP = (
    "Mean: a line a model, for accuracy with its controls. Languages: a line a model and language, or pair of them. "
    "Seeds: a line a model and seed, mean over languages."
)
"""Of the control of the lines."""
TITLE = 70
"""Characters of a title that a narrow window shows."""


@dataclass(frozen=True)
class Shape:
    """What is drawn over what."""

    metric: str
    layers: bool
    """Over layers; else over checkpoints."""
    at: At
    """Over checkpoints: of which layers."""
    lines: Lines
    across: bool
    """Whether some probes are tested in other languages, which have no control task."""

    @property
    def metrics(self) -> list[str]:
        """With its controls, where they are drawn too."""
        if self.metric != ACCURACY or self.lines != "Mean":
            return [self.metric]
        return [metric for metric in LINES if metric != CONTROL or not self.across]

    @property
    def over(self) -> str:
        """In words."""
        return "layers" if self.layers else "checkpoints"


def draw(selection: Selection) -> None:
    """Draw the curves of one measure."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        over = segments("Over", ("Layers", "Checkpoints"), "over")
        metric = frames.choose_measure(selection)
        layers = over != "Checkpoints"
        at: At = list(selection.layers)
        if not layers:
            at = frames.choose_at(selection, selection.models)
        options = more.view_options()
    with options:
        groups = seeds.choose(selection.models)
        apart = panels.choose(groups)
        lines: Lines = segments("Lines", get_args(Lines), "lines", "Mean", HELP)
        log = not layers and segments("Axis", ("Linear", "Log"), "axis") == "Log"
    shape = Shape(metric, layers, at, lines=lines, across=bool(selection.targets))
    wanted = _part(selection, shape)
    if not wanted.of:
        frames.say_empty()
        return
    if shape.lines == "Seeds":  # of probes, which are lines of each model
        groups = seeds.groups(selection.models, {})
    means = seeds.lines(groups, "layer" if layers else "step", bounds_of(metric), each=lines == "Languages")
    recipe = _recipe(wanted, shape).then(*means)
    drawn = partial(
        figures.trends,
        metric=metric,
        unit=selection.data.rows,
        tag=selection.data.tag,
        x="layer" if layers else "step",
        scale="log" if log else "linear",
        lines=shape.lines,
        colours=selection.colours,
        title=_last(wanted, groups) if layers else frames.at_words(at).capitalize(),
        panels=apart,
        **({} if layers else selection.axis),
    )
    picked = figure.draw(
        recipe.with_chart(drawn),
        name=f"{MEASURES[metric]} over {shape.over}",
        card=CARDS[metric],
        one_seed=wanted.one_seed,
        alt=f"{MEASURES[metric]} over {shape.over}",
        clicks=layers and not seeds.some(groups),
    )
    seeds.tell(groups)
    if shape.lines == "Seeds":
        _tell_spread(cooked.rows(recipe), shape)
    if picked:
        _open(wanted, *picked)


def _last(wanted: ProbedPart, groups: Sequence[Group]) -> str:
    """Name the models with the checkpoint whose layers are drawn, where a title has room for them."""
    last = {seeds.group_of(model, groups): checkpoint for model, checkpoint in wanted.of}
    named = ", ".join(group.titled(checkpoint) for group, checkpoint in last.items())
    return named if len(named) <= TITLE else "Each model's last chosen checkpoint"


def _tell_spread(data: pd.DataFrame, shape: Shape) -> None:
    """Say by how much seeds differ."""
    place = ["model", "layer" if shape.layers else "checkpoint"]
    spread = data.groupby(place)["value"].std().dropna()
    if len(spread):
        form = ",.0f" if shape.metric == LENGTH else ".4f"
        typical, most = (format(each, form) for each in (spread.median(), spread.max()))
        st.caption(f"Standard deviation over seeds, in the figure's unit: median {typical}, at most {most} (lower = steadier).")


def _part(selection: Selection, shape: Shape) -> ProbedPart:
    """Return the checkpoints that have every pair of languages; over layers the last of each model."""
    own = shape.metric in frames.OWN and bool(selection.targets)
    sources = [tag for tag in selection.computed_sources if tag in selection.targets] if own else None
    found = frames.part(selection, sources=sources, targets=[] if own else None)
    if not shape.layers:
        return found
    last = {model.name: (model, checkpoint) for model, checkpoint in found.of}
    return replace(found, of=tuple(last.values()))


def _recipe(wanted: ProbedPart, shape: Shape) -> Recipe:
    """Return the recipe of the figure's rows."""
    queries_of: dict[Lines, Callable[..., pd.DataFrame]] = (
        {"Mean": queries.grid, "Languages": queries.rows, "Seeds": queries.seed_grid}
        if shape.layers
        else {"Mean": queries.by_pair, "Languages": queries.by_pair, "Seeds": queries.by_seed}
    )
    query, more = queries_of[shape.lines], {} if shape.layers else {"at": shape.at}
    step = partial(probing_frames.over_checkpoints if shape.lines == "Mean" else place_checkpoints)
    steps = frames.steps_to(wanted.selection, "") if shape.layers else (step,)
    return frames.recipe(wanted, query, shape.metrics, *steps, **more)


def _open(wanted: ProbedPart, model: str, line: str, layer: float) -> None:
    """What was told wrongly at a point; of a mean, of its first pair of languages."""
    checkpoint = next(each.label for owner, each in wanted.of if owner.name == model)
    pairs = pd.DataFrame(wanted.pairs, columns=["source", "target"])
    named = dict(zip(figures.named_pairs(pairs), wanted.pairs, strict=True))
    source, target = named.get(line, wanted.pairs[0])
    place = {"at_model": model, "at_checkpoint": checkpoint, "at_probe": f"layer {int(layer)}"}
    open_cell("Errors", **place, pair_source=source, pair_target=target)
