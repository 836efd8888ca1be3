"""What is looked at on the Relations page: the unit, and two measures, each with its model, checkpoint and layer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from isogloss.backend.experiments.relations.catalogue import Available, OfModel
from isogloss.backend.experiments.relations.reading import Along, Given, Question, Reading, Role, Scored, Unit
from isogloss.backend.figures.relations import UNITS
from isogloss.pages.relations import usual
from isogloss.pages.shared.relation_measures import Choice, Workshop, collect
from isogloss.pages.widgets.choosing.choices import box as value_box
from isogloss.pages.widgets.choosing.choices import start_index
from isogloss.pages.widgets.choosing.wished import wished
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import guard

ALONG: dict[Along | None, str] = {None: "Nothing", "checkpoint": "Checkpoints", "layer": "Layers"}
ROLES: dict[Role, str] = {
    "itself": "The language itself",
    "both": "All its pairs",
    "source": "Pairs it is the source of",
    "target": "Pairs it is the target of",
}
CHECKPOINTS = {"last": "Last", "mean": "Mean of all", "each": "Each"}
LAYERS = {"mean": "Mean of all", "last": "Last", "each": "Each"}
X, Y = "Predictor (x)", "Outcome (y)"


@dataclass(frozen=True)
class Picked:
    """A measure chosen, and which part of it is read."""

    choice: Choice
    reading: Reading
    scored: OfModel | None
    """The model's checkpoints; None for what is no score."""

    @property
    def axis(self) -> str:
        """The measure with unit and direction."""
        return self.choice.words.axis

    @property
    def where(self) -> str:
        """Model, checkpoint and layer in few words; empty for what is no score."""
        if self.scored is None:
            return ""
        checkpoint, layer = self.reading.checkpoint, self.reading.layer
        at = {"last": "last checkpoint", "mean": "mean of checkpoints", "each": "each checkpoint"}.get(checkpoint)
        if not self.scored.series:
            return self.scored.model
        if at is None:
            at = dict(zip(self.scored.checkpoints, self.scored.labels, strict=True)).get(checkpoint, checkpoint)
        layers = {"last": "last layer", "mean": "mean of layers", "each": "each layer"}.get(str(layer), f"layer {layer}")
        return f"{self.scored.model}, {at}" + (f", {layers}" if self.has_layers else "")

    @property
    def has_layers(self) -> bool:
        """Whether its scores have layers to choose from."""
        return any(len(each.layers) > 1 for each in self.choice.variants)

    def is_same(self, other: Picked) -> bool:
        """Whether another is the same numbers."""
        same = self.reading.is_same(other.reading)
        return same and self.reading.models.keys() == other.reading.models.keys()

    def read(self, **changes: Any) -> Picked:
        """The same measure read otherwise."""
        return replace(self, reading=self.reading.model_copy(update=changes))


@dataclass(frozen=True)
class Selection:
    """What is chosen."""

    workshop: Workshop
    unit: Unit
    along: Along | None
    x: Picked
    y: Picked

    @property
    def choices(self) -> list[Choice]:
        """The measures that can be read at the unit."""
        return [each for each in self.workshop.choices if each.at(self.unit)]

    @property
    def labels(self) -> dict[str, str]:
        """What both measures' checkpoints are called, by fingerprint: as the predictor's model calls them where it has them."""
        return {key: label for each in self._series for key, label in zip(each.checkpoints, each.labels, strict=True)}

    @property
    def steps(self) -> dict[str, int | None]:
        """Their training steps, where known."""
        return {key: step for each in self._series for key, step in zip(each.checkpoints, each.steps, strict=True)}

    @property
    def _series(self) -> list[OfModel]:
        return [each.scored for each in (self.y, self.x) if each.scored]

    def names(self, *picked: Picked) -> list[str]:
        """A column's name for each, no two alike."""
        found: list[str] = []
        for each in picked:
            name = each.choice.name
            found.append(name if name not in found else f"{name}_{found.count(name) + sum(o.startswith(name) for o in found)}")
        return found

    def question(self, *picked: Picked) -> Question:
        """These measures at the unit chosen."""
        readings = {name: each.reading for name, each in zip(self.names(*picked), picked, strict=True)}
        return Question(unit=self.unit, along=self.along, readings=readings)

    def pick(self, choice: Choice) -> Picked | None:
        """Another measure, read as the predictor is: the same model, checkpoint and layer where it has them."""
        return default_of(choice, self.unit, self.x)


def choose() -> Selection | None:
    """The controls, in the side bar; None (and one sentence) where nothing can be set against anything."""
    with guard():
        workshop = collect()
    if not workshop.choices:
        st.info("Relations sets scores against scores, and none are computed yet.", icon=":material/scatter_plot:")
        st.page_link("pages/home/page.py", label="See what can be measured", icon=":material/home:")
        return None
    with st.sidebar:
        units = [unit for unit in UNITS if sum(each.at(unit) for each in workshop.choices) > 1]
        if not units:
            st.info("There is one measure only: compute a second to set it against.", icon=":material/scatter_plot:")
            return None
        titles = [UNITS[each] for each in units]
        unit = units[titles.index(box("Unit of analysis", titles, "unit"))]
        along = _along(unit)
        choices = [each for each in workshop.choices if each.at(unit)]
        model = usual.usual_model(choices, workshop.everything)
        x = _measure(workshop, choices, X, "x", unit, along, usual.usual_predictor(choices, model), model)
        others = [each for each in choices if each is not x.choice or each.several(unit)]
        y = _measure(workshop, others, Y, "y", unit, along, usual.usual_outcome(others, x.choice, model), model)
    return Selection(workshop, unit, along, x, y)


def _along(unit: Unit) -> Along | None:
    if unit not in ("pair", "language"):
        return None
    names = [ALONG[each] for each in ALONG]
    chosen = box("Pooled over", names, "pooled")
    return next(each for each, name in ALONG.items() if name == chosen)


def _measure(
    workshop: Workshop, choices: list[Choice], title: str, key: str, unit: Unit, along: Along | None, usual: Choice, model: str
) -> Picked:
    """One measure's boxes; their keys begin with `key`."""
    labels = [each.label for each in choices]
    lacking = wished(key, labels, [each.label for each in workshop.choices], usual.label)
    label = box(title, labels, key, labels.index(usual.label))
    if lacking:
        there = any(each.label == lacking and each.at(unit) for each in workshop.choices)
        why = "is the predictor" if there else f"has no values by {UNITS[unit].lower()}"
        st.caption(f"{verbatim(lacking)} {why}: {verbatim(label)} stands in its place.")
    choice = choices[labels.index(label)]
    if choice.given:
        return _given(choice, choice.given)
    with st.expander(f"{title.split()[0]}: model, checkpoint, layer", icon=":material/tune:"):
        return _part(workshop, choice, key, unit, along, model)


def _given(choice: Choice, given: Given) -> Picked:
    return Picked(choice, Reading(of=given, role="itself" if given.covariate else "both"), None)


def _part(workshop: Workshop, choice: Choice, key: str, unit: Unit, along: Along | None, usual: str) -> Picked:
    names = [each for each in choice.models() if any(variant.of(each) for variant in choice.variants_at(unit))]
    model = names[0]
    if unit != "model":
        first = names.index(usual) if usual in names else 0
        model = box("Model", names, f"{key}_model", first)
    able = {workshop.variant_name(each): each for each in choice.variants_at(unit) if each.of(model)}
    variant = able[next(iter(able))]
    if len(able) > 1:
        told = dict(zip(able, map(", ".join, workshop.told_apart(list(able.values()))), strict=True))
        variant = able[value_box("Variant", told, f"{key}_variant", next(iter(able)))]
    model_scores = variant.of(model)
    assert model_scores is not None
    checkpoint = _checkpoint(model_scores, key, unit, along)
    layer = _layer(variant, key, unit, along)
    role = _role(variant, key, unit)
    models = _models(variant, unit)
    reading = Reading(of=variant.scored(model_scores), models=models, checkpoint=checkpoint, layer=layer, role=role)
    return Picked(choice, reading, model_scores)


def _checkpoint(model_scores: OfModel, key: str, unit: Unit, along: Along | None) -> str:
    if not model_scores.series:
        return "mean"
    if len(model_scores.checkpoints) < 2:
        return "last"
    if unit == "checkpoint":
        return "each"
    pooled = along == "checkpoint"
    words = [CHECKPOINTS[each] for each in (["each"] if pooled else []) + ["last", "mean"]]
    options = words if unit == "model" else [*words, *model_scores.labels]
    name = f"{key}_each_checkpoint" if pooled else f"{key}_checkpoint"
    chosen = box("Checkpoint", options, name)
    said = {text: word for word, text in CHECKPOINTS.items()}
    return said[chosen] if chosen in words else model_scores.checkpoints[model_scores.labels.index(chosen)]


def _layer(variant: Available, key: str, unit: Unit, along: Along | None) -> Any:
    if len(variant.layers) < 2:
        return "mean"
    if unit == "layer":
        return "each"
    pooled = along == "layer"
    words = [LAYERS[each] for each in (["each"] if pooled else []) + ["mean", "last"]]
    options = [*words, *(str(layer) for layer in variant.layers)]
    name = f"{key}_each_layer" if pooled else f"{key}_layer"
    chosen = box("Layer", options, name)
    said = {text: word for word, text in LAYERS.items()}
    return said[chosen] if chosen in words else int(chosen)


def _role(variant: Available, key: str, unit: Unit) -> Role:
    usual: Role = "itself" if variant.own else "both"
    if unit != "language" or not variant.others:
        return usual
    able: list[Role] = [*(["itself"] if variant.own else []), "both", *(["source", "target"] if variant.directed else [])]  # type: ignore[list-item]
    if len(able) == 1:
        return able[0]
    names = [ROLES[each] for each in able]
    chosen = box("Mean over", names, f"{key}_role")
    return able[names.index(chosen)]


def box(label: str, options: list[str], key: str, index: int = 0, help: str | None = None) -> str:
    """A select box whose choice is in the URL: the option at `index` at first, and where what was chosen is gone."""
    return st.selectbox(label, options, start_index(key, options, index), key=key, bind="query-params", help=help)


def default_of(choice: Choice, unit: Unit, like: Picked) -> Picked | None:
    """A measure read like another: its model where it has scores of that, its checkpoint and layer where they are general."""
    if choice.given:
        return _given(choice, choice.given)
    model = like.scored.model if like.scored else None
    able = [each for each in choice.variants_at(unit) if unit == "model" or model is None or each.of(model)]
    if not able:
        return None
    variant = able[0]
    model_scores = (variant.of(model) if model else None) or variant.models[0]
    asked = like.reading
    single = len(model_scores.checkpoints) < 2
    checkpoint = asked.checkpoint if asked.checkpoint in ("mean", "each", *model_scores.checkpoints) and not single else "last"
    checkpoint = checkpoint if model_scores.series else "mean"
    layered = len(variant.layers) > 1
    layer = asked.layer if layered and (not isinstance(asked.layer, int) or asked.layer in variant.layers) else "mean"
    role: Role = "itself" if variant.own else "both"
    models = _models(variant, unit)
    reading = Reading(of=variant.scored(model_scores), models=models, checkpoint=checkpoint, layer=layer, role=role)
    return Picked(choice, reading, model_scores)


def _models(variant: Available, unit: Unit) -> dict[str, Scored]:
    return {each.model: variant.scored(each) for each in variant.models} if unit == "model" else {}
