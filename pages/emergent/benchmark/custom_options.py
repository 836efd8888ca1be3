"""The options of the preset "Custom": the model, and the budget of either training. What is not asked is as in "Quick"."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from backend.experiments.spec import validate
from backend.experiments.words import count
from backend.training.language_model.options import (
    Architecture,
    LanguageModelOptions,
    Protocol,
    is_released,
    preset,
    scaled_deviation,
)
from backend.training.resumable.options import Stage
from pages.widgets.words import parameters

WIDTH = 130
MOST_TOKENS = 1_000_000_000
STAGES: dict[Literal["pretraining", "tuning"], str] = {"pretraining": "Pre-training", "tuning": "Tuning"}


def choose(protocol: Protocol) -> LanguageModelOptions:
    """Draw the form, filled in as "Quick" is. Raises `SpecError` for what does not go together."""
    given = preset("quick", protocol=protocol)
    with st.container(border=True):
        shape = _architecture(given.architecture)
        stages = {key: _stage(key, name, getattr(given, key)) for key, name in STAGES.items()}
        scored = _whole("Tokens scored at most", "bench_scored", given.evaluation_tokens, MOST_TOKENS, least=2, width=190)
        architecture = validate(Architecture, shape)
        deviation = scaled_deviation(architecture.dims) if not is_released(protocol) else given.fresh_deviation
        found = given.model_copy(
            update={"architecture": architecture, "evaluation_tokens": scored, "fresh_deviation": deviation}
            | {key: validate(Stage, stage) for key, stage in stages.items()}
        )
        model = found.architecture
        st.caption(
            f"{parameters(model.parameters)} parameters. {given.held_out:.0%} of a target's text is held out. Weight decay "
            f"{given.pretraining.weight_decay:g}, no dropout. Sources with more than {count(model.vocabulary, 'symbol')} are "
            "folded: several symbols share an embedding."
        )
    return found


def _architecture(given: Architecture) -> dict[str, float]:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        return {
            "layers": _whole("Layers", "bench_layers", given.layers, 48),
            "heads": _whole("Attention heads", "bench_heads", given.heads, 64),
            "dims": _whole("Dimensions", "bench_dims", given.dims, 8192, least=4, help="A multiple of the heads."),
            "context": _whole("Context", "bench_context", given.context, 4096, least=4, help="Tokens that a window has."),
            "vocabulary": _whole(
                "Vocabulary", "bench_vocabulary", given.vocabulary, 250_000, least=257, help="Embeddings of the model."
            ),
            "dropout": given.dropout,
        }


def _stage(key: str, name: str, given: Stage) -> dict[str, float]:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        return given.model_dump() | {
            "tokens": _whole(f"{name}: tokens", f"bench_{key}_tokens", given.tokens, MOST_TOKENS, least=4, width=190),
            "epochs": _whole("Epochs", f"bench_{key}_epochs", given.epochs, 1000),
            "batch": _whole("Batch", f"bench_{key}_batch", given.batch, 4096, help="Windows per update."),
            "learning_rate": st.number_input(
                "Learning rate",
                1e-7,
                1.0,
                given.learning_rate,
                1e-4,
                format="%g",
                key=f"bench_{key}_rate",
                bind="query-params",
                width=150,
                help="Of the first update; falls linearly to zero.",
            ),
        }


def _whole(label: str, key: str, value: int, most: int, *, least: int = 1, width: int = WIDTH, help: str | None = None) -> int:
    return int(st.number_input(label, least, most, value, key=key, bind="query-params", width=width, help=help))
