"""The options of the preset "Custom": the model, and the budget of either training. What is not asked is as in "Quick"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import streamlit as st

from isogloss.backend.experiments.spec import validate
from isogloss.backend.experiments.words import count
from isogloss.backend.training.language_model.options import (
    Architecture,
    LanguageModelOptions,
    Protocol,
    is_released,
    preset,
    scaled_deviation,
)
from isogloss.backend.training.resumable.options import Stage
from isogloss.pages.widgets.choosing.form import form
from isogloss.pages.widgets.words import parameters

STAGES: dict[Literal["pretraining", "tuning"], str] = {"pretraining": "Pre-training", "tuning": "Tuning"}
SHAPE = ("layers", "heads", "dims", "context", "vocabulary")
BUDGET = ("tokens", "epochs", "batch", "learning_rate")


def choose(protocol: Protocol) -> LanguageModelOptions:
    """Draw the form, filled in as "Quick" is. Raises `SpecError` for what does not go together."""
    given = preset("quick", protocol=protocol)
    with st.container(border=True):
        shape = _group(given.architecture, SHAPE, {name: f"bench_{name}" for name in SHAPE})
        stages = {}
        for key, name in STAGES.items():
            keys = {each: f"bench_{key}_{each}" for each in BUDGET} | {"learning_rate": f"bench_{key}_rate"}
            stages[key] = _group(getattr(given, key), BUDGET, keys, name)
        scored = form(LanguageModelOptions, dict(given), only=("evaluation_tokens",), width=190)
        architecture = validate(Architecture, shape)
        deviation = scaled_deviation(architecture.dims) if not is_released(protocol) else given.fresh_deviation
        options = given.model_copy(
            update={"architecture": architecture, "fresh_deviation": deviation}
            | scored
            | {key: validate(Stage, stage) for key, stage in stages.items()}
        )
        model = options.architecture
        st.caption(
            f"{parameters(model.parameters)} parameters. {given.held_out:.0%} of a target's text is held out. Weight decay "
            f"{given.pretraining.weight_decay:g}, no dropout. Sources with more than {count(model.vocabulary, 'symbol')} are "
            "folded: several symbols share an embedding."
        )
    return options


def _group(given: Architecture | Stage, names: Sequence[str], keys: Mapping[str, str], title: str = "") -> dict[str, Any]:
    """Draw some options of a group in a row; returns all its fields, the others as `given`."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if title:
            st.markdown(f"**{title}**", width=110)
        return dict(given) | form(type(given), dict(given), only=names, keys=keys, width=140)
