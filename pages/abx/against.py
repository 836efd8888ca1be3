"""What the scores are held against: length alone, a bag of bytes, random weights of the same shape; chosen, found, told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from isogloss.backend.charts.controls import DASH_STYLES
from isogloss.backend.charts.parts.stages import GROUP
from isogloss.backend.experiments.abx import against as steps
from isogloss.backend.experiments.abx import controls
from isogloss.backend.experiments.abx.against import AGAINST, RANDOM
from isogloss.backend.experiments.abx.controls import AbxControlsSpec
from isogloss.backend.figures.abx import SHORT
from isogloss.backend.models.entry import Model
from isogloss.backend.models.library.absent import is_absent
from isogloss.backend.models.untrained import untrained
from isogloss.backend.option import within_sentence
from isogloss.backend.store import scores
from isogloss.pages.abx.controls import STYLES
from isogloss.pages.shared.abx import recipes
from isogloss.pages.shared.abx.selection import Selection
from isogloss.pages.widgets.choosing import prefixes, seeds
from isogloss.pages.widgets.choosing.choices import several
from isogloss.pages.widgets.choosing.seeds import Group
from isogloss.pages.widgets.runs import compute
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import guard, workspaces

HELP = (
    "What the same triplets give where a sentence's vector is its length or a bag of its bytes, and where the model's weights "
    "are random. Only what lies above them says something of the model."
)
BAND = "Held against"
"""Above the columns of a heatmap."""


@dataclass(frozen=True)
class Against:
    """What was chosen of `AGAINST`, and which files have it."""

    chosen: tuple[str, ...]
    sources: steps.Sources

    def step(self, of: Any, selection: Selection, layers: Sequence[int], **more: Any) -> partial[pd.DataFrame]:
        """Return the step of a recipe that adds them (`steps.as_columns`, `as_columns_of_languages` or `as_lines`)."""
        of_languages = {"languages": list(selection.languages), **recipes.pairs_chosen(selection)}
        return partial(of, workspaces=workspaces(), sources=self.sources, layers=list(layers), **of_languages, **more)

    def of(self, model: Model) -> Against:
        """Return what there is of one model alone."""
        return replace(self, sources={model.name: self.sources[model.name]})

    def groups(self, models: Sequence[Model]) -> list[Group]:
        """Draw the choice of seeds, and return the models of a figure by it.

        What a model is held against is its own: random weights have its shape, not another seed.
        """
        return seeds.groups(models, {}) if self.chosen else seeds.choose(models)

    def columns(self, model: Model) -> dict[str, str]:
        """Return the columns that they are in a model's heatmap, and what these are called."""
        return {name: f"{BAND}{GROUP}{name}" for name in self.sources.get(model.name, {})}


def choose(selection: Selection) -> Against:
    """Draw the choice; returns what there is of it, and offers to compute what is not."""
    chosen = several(BAND, AGAINST, "against", (), HELP, placeholder="Nothing", width=280)
    of_models = {model.name: found for model in selection.models if (found := _files(selection, model, chosen))}
    return Against(chosen, of_models)


def offer(selection: Selection, against: Against) -> None:
    """Offer to compute what was chosen and is lacking, of each model that has scores."""
    for model in selection.models:
        there = against.sources.get(model.name, {})
        lacking = [name for name in against.chosen if name not in there]
        of = f"**{verbatim(model.name)}** on {verbatim(selection.corpus.name)}"
        if not lacking or not selection.computed(model):
            continue
        if RANDOM in lacking and not is_absent(model):
            shadow = _random(selection, model)
            compute.offer(shadow.spec(shadow.models[0]), f"{of}: scores of random weights not computed yet.")
        if of_texts := [within_sentence(AGAINST[name]) for name in lacking if name != RANDOM]:
            compute.offer(_of_texts(selection, model), f"{of}: {', '.join(of_texts)} not computed yet.")


def tell(rows: pd.DataFrame, *, dashes: bool = False) -> None:
    """Say in numbers what each reaches, a line a model; over layers the least and the greatest. `dashes`: how it is drawn."""
    held = rows[rows["control"].isin([*AGAINST, *AGAINST.values()])] if "control" in rows else rows.iloc[:0]
    for model, of_model in held.groupby("model", sort=False):
        sentences = []
        for name, own in of_model.groupby("control", sort=False):
            numbers = ", ".join(_numbers(SHORT[str(metric)], each) for metric, each in own.groupby("metric", sort=False))
            named = within_sentence(AGAINST.get(str(name), str(name)))
            drawn = f" ({within_sentence(DASH_STYLES[STYLES[str(name)]])})" if dashes else ""
            sentences.append(f"{named}{drawn} {numbers}")
        n = int(of_model["n"].min())
        st.caption(f"{BAND}, {verbatim(str(model))}: {'; '.join(sentences)} ({n:,} sentences, 95% intervals).")


def tell_pair(held: Against, pair: tuple[str, str], layer: int) -> None:
    """Say what each reaches in one pair of languages at a layer."""
    with guard():
        rows = steps.scores(workspaces(), held.sources, pair, [layer])
    tell(rows[rows["metric"].isin(list(SHORT))])


def _numbers(task: str, rows: pd.DataFrame) -> str:
    ordered = rows.sort_values("value")
    least, most = ordered.iloc[0], ordered.iloc[-1]
    if most["value"] == least["value"]:
        return f"{task} {most['value']:.3f} [{most['low']:.3f}, {most['high']:.3f}]"
    return f"{task} {least['value']:.3f} to {most['value']:.3f} over layers"


def _files(selection: Selection, model: Model, chosen: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return which file has each of those chosen of a model, and under which fingerprint."""
    found: dict[str, tuple[str, str]] = {}
    of_texts = [name for name in chosen if name != RANDOM]
    if of_texts and selection.computed(model):
        with guard():
            have = scores.shards(workspaces(), controls.FAMILY)
        file = controls.covering(_of_texts(selection, model), model.checkpoints, have)
        if file is not None:
            found = dict.fromkeys(of_texts, (file.run, str(file.provenance["fingerprint"])))
    if RANDOM in chosen and selection.computed(model):
        for (fingerprint, _), file in _random(selection, model).served.items():
            found[RANDOM] = file.run, fingerprint
    return found


def _of_texts(selection: Selection, model: Model) -> AbxControlsSpec:
    """Return the spec of a model's length and bytes, by its last chosen checkpoint's tokeniser."""
    own = selection.checkpoints(model)[-1:]
    return AbxControlsSpec(
        model=model.name,
        checkpoints=tuple(own),
        corpus=selection.corpus.id,
        languages=selection.languages,
        sentences=selection.options["sentences"],
        pairs=selection.pairs,
        prefix=prefixes.at(selection.prefixes, own),
    )


def _random(selection: Selection, model: Model) -> Selection:
    """Return the selection of random weights in a model's shape, asked as its own are."""
    first, shadow = model.checkpoints[0], untrained(model)
    (random,) = shadow.checkpoints
    before, pooling = prefixes.at(selection.prefixes, [first]), selection.pooling([first])
    return replace(
        selection.with_options(baseline=False, per_sentence=False),
        models=(shadow,),
        labels=(random.label,),
        prefixes={random.fingerprint: before} if before else {},
        poolings={random.fingerprint: pooling},
    )
