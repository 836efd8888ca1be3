"""Show a model's shape and checkpoints, in lists and on pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from isogloss.backend.charts.parts.text import step_label
from isogloss.backend.experiments.words import count
from isogloss.backend.models.entry import POOLINGS
from isogloss.backend.models.recommended import recommended
from isogloss.backend.option import within_sentence
from isogloss.pages.widgets.words import parameters

if TYPE_CHECKING:
    from isogloss.backend.models.entry import Checkpoint, Model


def summary(model: Model) -> str:
    """`xlm-roberta · 12 layers × 768 dims · 278 M parameters · 7 checkpoints in 2 stages, steps 0 to 2,000`."""
    steps = [checkpoint.step for checkpoint in model.checkpoints if checkpoint.step is not None]
    tokens = [checkpoint.tokens for checkpoint in model.checkpoints if checkpoint.tokens is not None]
    stages = {checkpoint.stage for checkpoint in model.checkpoints}
    span = f" in {len(stages)} stages" if len(stages) > 1 else ""
    if len(steps) > 1 and steps == sorted(steps):  # a stage that begins again at 0 has no place in one range
        span += f", steps {steps[0]:,} to {steps[-1]:,}"
    elif len(tokens) > 1 and tokens == sorted(tokens):
        span += f", {step_label(tokens[0])} to {step_label(tokens[-1])} tokens"
    known = "" if model.parameters is None else f" · {parameters(model.parameters)} parameters"
    if model.tokeniser_alone:
        return f"no weights · {count(len(model.checkpoints), 'tokeniser')}{span}"
    shape = f"{model.architecture} · {model.layers} layers × {model.dims} dims{known}"
    return f"{shape} · {count(len(model.checkpoints), 'checkpoint')}{span}"


def sentence_vector(model: Model) -> str:
    """`Recommended sentence vector: mean of tokens, since …`."""
    pooling, why = recommended(model)
    return f"Recommended sentence vector: {within_sentence(POOLINGS[pooling])}, since {why}."


def table(model: Model, *, key: str, select: bool = False) -> list[int]:
    """Tabulate the checkpoints in their order; with `select`, return the rows selected."""
    frame = pd.DataFrame(
        {
            "Checkpoint": [checkpoint.label for checkpoint in model.checkpoints],
            "Stage": [checkpoint.stage for checkpoint in model.checkpoints],
            "Step": pd.array([checkpoint.step for checkpoint in model.checkpoints], dtype="Int64"),
            "Tokens": ["" if checkpoint.tokens is None else step_label(checkpoint.tokens) for checkpoint in model.checkpoints],
            "From": [origin(checkpoint) for checkpoint in model.checkpoints],
            "Commit": [(checkpoint.commit or "")[:12] for checkpoint in model.checkpoints],
            "Fingerprint": [checkpoint.fingerprint[:12] for checkpoint in model.checkpoints],
        }
    )
    for column in ("Commit", "Stage", "Tokens"):
        if not any(frame[column]):
            del frame[column]
    step = st.column_config.NumberColumn("Step", format="localized")
    shared: dict[str, Any] = {
        "hide_index": True,
        "column_config": {"Step": step},
        "key": key,
        "alt": f"Checkpoints of {model.name}",
    }
    if not select:
        st.dataframe(frame, **shared)
        return []
    event = st.dataframe(frame, on_select="rerun", selection_mode="multi-row", **shared)
    return [row for row in event.selection.rows if row < len(frame)]


def origin(checkpoint: Checkpoint) -> str:
    """Say where a checkpoint's weights lie."""
    match checkpoint.source:
        case "hub":
            return f"Hub: {checkpoint.location}"
        case "folder":
            return checkpoint.location
        case "fairseq":
            return f"fairseq: {checkpoint.location}"
