"""The recipes of the probing figures, and the controls that several views share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import Recipe, argument
from isogloss.backend.experiments.frames import label_checkpoints, rows_with
from isogloss.backend.experiments.probing import frames as probing_frames
from isogloss.backend.experiments.probing.queries import At, Mix, served
from isogloss.backend.experiments.probing.together import together
from isogloss.backend.experiments.words import count
from isogloss.backend.figures.probing import ACCURACY, COMPRESSION, CONTROL, F1, FIXED, LENGTH, MEASURES, SELECTIVITY
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.pages.probing.selection import Pair, Selection
from isogloss.pages.widgets.choosing.choices import box, select
from isogloss.pages.widgets.choosing.selecting import language_name
from isogloss.pages.widgets.figures import colours
from isogloss.pages.widgets.workspace import workspaces

OWN = (CONTROL, SELECTIVITY, LENGTH, COMPRESSION)
"""Measures of the language trained on alone."""
MIXES: dict[Mix, str] = {
    "mean of layers": "Mean of layers, one probe",
    "learned mix": "Learned mix of layers, one probe",
}
EVERY = "Mean score of the layers"
ALL = "All (mean)"


@dataclass(frozen=True)
class ProbedPart:
    """Some of a selection: checkpoints that have every pair of languages, and the pairs."""

    selection: Selection
    of: tuple[tuple[Model, Checkpoint], ...]
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    """None where each language is tested in itself."""
    pairs: tuple[Pair, ...]
    """(trained on, tested in): those of these languages, or some of them."""

    @property
    def specs(self) -> list[Any]:
        """One a model."""
        specs_of_models = []
        for model in self.selection.models:
            checkpoints = [each for owner, each in self.of if owner.name == model.name]
            if checkpoints:
                specs_of_models.append(self.selection.spec(model, checkpoints, self.sources, self.targets))
        return specs_of_models

    @property
    def one_seed(self) -> str:
        """What intervals are over where one seed was trained, for `figure.show`."""
        return "test sentences" if len(self.selection.options.probe.seeds) == 1 else ""


def part(
    selection: Selection,
    *,
    of: Sequence[Model] | None = None,
    sources: Sequence[str] | None = None,
    targets: Sequence[str] | None = None,
) -> ProbedPart:
    """Return the checkpoints of some models that have every pair of these languages, by default all computed ones."""
    chosen = tuple(selection.computed_sources if sources is None else sources)
    others = tuple(selection.computed_targets if targets is None else targets)
    pairs = tuple((source, target) for source in chosen for target in others or (source,))
    models = selection.models if of is None else of
    found = tuple((model, each) for model in models for each in selection.complete(model, pairs))
    return ProbedPart(selection, found, chosen, others, pairs)


def recipe(
    wanted: ProbedPart, query: Callable[..., pd.DataFrame], metrics: Sequence[str], *steps: partial[pd.DataFrame], **more: Any
) -> Recipe:
    """Return the recipe of the rows of `query` (of `queries`), labelled, and of what `steps` make of them."""
    calls = [argument(partial(served, spec=spec, workspaces=workspaces())) for spec in wanted.specs]
    return Recipe(
        (
            calls[0] if len(calls) == 1 else partial(together, *calls),
            partial(query, metrics=list(metrics), **more),
            partial(label_checkpoints, checkpoints=_known(wanted)),
            *steps,
        )
    )


def steps_to(selection: Selection, *mixes: str) -> tuple[partial[pd.DataFrame], ...]:
    """Return the steps that name each row's layer and keep the chosen layers, and these mixes of all of them."""
    names = [*(f"layer {layer}" for layer in selection.layers), *mixes]
    return partial(probing_frames.name_rows), partial(rows_with, layer_name=names)


def choose_pair(selection: Selection) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """Draw the boxes of the languages looked at: the mean of all or one; sources, targets, and what they are in words."""
    sources = _one_of("Trained on" if selection.targets else "Language", "of_source", selection.computed_sources)
    if not selection.targets:
        shown = language_name(sources[0]) if len(sources) == 1 else f"mean of {count(len(sources), 'language')}"
        return sources, (), shown
    targets = _one_of("Tested in", "of_target", selection.computed_targets)
    ends = [
        language_name(tags[0]) if len(tags) == 1 else f"mean of {count(len(tags), 'language')}" for tags in (sources, targets)
    ]
    return sources, targets, " → ".join(ends)


def _one_of(label: str, key: str, tags: Sequence[str]) -> tuple[str, ...]:
    names = {ALL: tuple(tags)} | {language_name(tag): (tag,) for tag in tags}
    return names[select(label, list(names), key, width=200)] if len(tags) > 1 else tuple(tags)


def measures(selection: Selection) -> dict[str, str]:
    """Return those that probes of this selection have: metric → name."""
    options, data = selection.options, selection.data
    words = data.unit == "words" and options.probe.control
    there = {ACCURACY: True, F1: data.entities, SELECTIVITY: words, CONTROL: words}
    there |= dict.fromkeys((LENGTH, COMPRESSION), options.description_length)
    return {metric: name for metric, name in MEASURES.items() if there[metric]}


def fitted(metric: str, *, disabled: bool = False) -> bool | None:
    """Draw the range of the colours; a measure without ends of its own has no other colours."""
    return metric not in FIXED or colours.fitted("from 0 to 1", disabled=disabled)


def choose_measure(selection: Selection) -> str:
    """Draw the control of the measure, accuracy by default; nothing where there is no other."""
    able = measures(selection)
    if len(able) < 2:
        return ACCURACY
    if st.session_state.get("measure") not in (None, *able):
        del st.session_state["measure"]
    return box("Measure", able, "measure", ACCURACY, width=220)


def choose_at(selection: Selection, models: Sequence[Model]) -> At:
    """Draw the box of the layers looked at: the mean of the chosen ones' scores, one of them, or a mix probed itself."""
    depth = max(model.layers for model in models)
    layers = [layer for layer in selection.layers if layer <= depth]
    names: dict[str, At] = {EVERY: layers}
    names.update({f"Layer {layer}": [layer] for layer in layers})
    names.update({name: mix for mix, name in MIXES.items()})
    return names[select("At", list(names), "at_layers", width=240)]


def at_words(at: At) -> str:
    """Return where scores are of, within a title."""
    if isinstance(at, str):
        return at
    return f"layer {at[0]}" if len(at) == 1 else f"mean of {len(at)} layers' scores"


def probe_at(at: At) -> dict[str, str]:
    """Return the choice of the probe whose errors are looked at; none where scores of several were averaged."""
    if isinstance(at, str):
        return {"at_probe": at}
    return {"at_probe": f"layer {at[0]}"} if len(at) == 1 else {}


def say_empty() -> None:
    """Why there is nothing to draw, where something is computed."""
    st.info("The figure comes with the first checkpoint that has every chosen language.", icon=":material/info:")


def _known(wanted: ProbedPart) -> list[Any]:
    there = {(model.name, each.fingerprint) for model, each in wanted.of}
    return [each for each in wanted.selection.known() if (each[1], each[0]) in there]
