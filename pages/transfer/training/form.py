"""What is to be trained: the options of new runs, all of them in the URL, and the spec that they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from isogloss.backend.corpora.tasks.library import TaskEntry
from isogloss.backend.errors import SpecError
from isogloss.backend.experiments.spec import validate
from isogloss.backend.experiments.transfer.spec import TransferSpec
from isogloss.backend.experiments.transfer.windows import named_windows
from isogloss.backend.models.entry import Model
from isogloss.backend.training.finetune.options import FinetuneOptions
from isogloss.pages.transfer.shared.selection import LabelledData, Selection
from isogloss.pages.transfer.training import rarely
from isogloss.pages.transfer.training.presets import PRESETS, preset_of, quick_rate, setting_of
from isogloss.pages.widgets.choosing import more, prefixes
from isogloss.pages.widgets.choosing.choices import box, whole
from isogloss.pages.widgets.choosing.form import form as form_of
from isogloss.pages.widgets.choosing.form import untouched

QUICK_ROWS = 128
"""Of a quick look at a task of more than twice as many rows, or a corpus of as many sentences: minutes, not hours."""
KEYS = ("train_", "preset", "evaluated", "windows")
"""What the names of its controls begin with."""


def options(data: LabelledData) -> dict[str, Any]:
    """The controls; the fields of a `TransferSpec` but for models, data and languages. Raises `SpecError` for a bad number."""
    setting, few = setting_of(data), _takes_few(data)
    left_out = set() if setting == "xnli" else {"mnli", "scatter"}  # as their table and figures
    left_out |= set() if data.translated else {"paper", "scatter"}  # table 4 has no such training
    offered = [name for name in PRESETS if name not in left_out]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        preset = preset_of(box("Preset", {name: PRESETS[name] for name in offered}, "preset", "quick", width=270), setting)
        key = f"train_seeds_{preset.name}"  # a number of seeds, of which a spec has a list
        seeds = list(range(whole("Seeds", key, 1, 50, preset.seeds, width=110)))
    keys, amount = rarely.keys(preset.name, setting, few=few), _how_many(data, preset.name, few=few)
    counted = rarely.untouched(preset, keys) | untouched(TransferSpec, amount.first, amount.keys, amount.keys)
    with more.settings("train", counted):
        fields = form_of(TransferSpec, amount.first, only=amount.keys, keys=amount.keys, width=140)
        return fields | {"seeds": seeds} | rarely.draw(preset, data, keys, fields.get("rows"))


def quick(data: LabelledData) -> dict[str, Any]:
    """Return the fields of a quick look as the form has them before it is touched, without drawing it."""
    preset, rows = preset_of("quick", setting_of(data)), QUICK_ROWS if _takes_few(data) else None
    fields: dict[str, Any] = {"rows" if isinstance(data.entry, TaskEntry) else "sentences": rows}
    every, _ = rarely.record_every(data, FinetuneOptions().batch, rows)
    training = {**preset.training, "record_every": every, "windows": named_windows(preset.evaluated)}
    return fields | {"algorithms": ["vanilla"], "learning_rates": [], "seeds": [*range(preset.seeds)], "training": training}


def keep() -> None:
    """Let the form stand as it was left while it is closed: Streamlit forgets controls that are not drawn."""
    for key in st.session_state:
        if isinstance(key, str) and key.startswith(KEYS):
            st.session_state[key] = st.session_state[key]


def specs(selection: Selection, fields: dict[str, Any]) -> list[TransferSpec]:
    """Return one spec a model that has any of the chosen checkpoints. Raises `SpecError` with the first problem in words."""
    trained = [model for model in selection.models if selection.checkpoints(model)]
    if not trained:
        raise SpecError("No chosen model has the chosen checkpoints. Empty Checkpoints, under Runs, for the last one of each.")
    fields = {
        "data": selection.data.kind,
        "corpus": selection.data.entry.id,
        "sources": selection.sources,
        "languages": selection.targets,
        **fields,
    }
    return [validate(TransferSpec, fields | _of_model(selection, model, fields)) for model in trained]


def _of_model(selection: Selection, model: Model, fields: dict[str, Any]) -> dict[str, Any]:
    checkpoints = selection.checkpoints(model)
    before = prefixes.at(selection.prefixes, checkpoints)
    rates = fields["learning_rates"] or [quick_rate(model.parameters)]
    training = fields["training"] | {"prefix": before}
    return {"model": model.name, "checkpoints": checkpoints, "training": training, "learning_rates": rates}


@dataclass(frozen=True)
class _Amount:
    """How many rows of a task, or sentences of a corpus, are trained on: the control."""

    keys: Mapping[str, str]
    """The spec's field, and its key in a link."""
    first: Mapping[str, int]
    """What it stands at before it is touched, where that is not all."""


def _how_many(data: LabelledData, preset: str, *, few: bool) -> _Amount:
    quick = few and preset == "quick"
    if isinstance(data.entry, TaskEntry):
        return _Amount({"rows": f"train_rows_{preset}" + ("_few" if few else "")}, {"rows": QUICK_ROWS} if quick else {})
    # A link from before a quick look took few names them by the other key.
    before = st.query_params.get("train_sentences", "")
    first = {"sentences": int(before) if before.isdecimal() else QUICK_ROWS} if quick else {}
    return _Amount({"sentences": "train_sentences_few" if quick else "train_sentences"}, first)


def _takes_few(data: LabelledData) -> bool:
    """Return whether a quick look takes few: of the rows of a large task, of the sentences of a large corpus."""
    entry = data.entry
    return (entry.rows - entry.validation_rows if isinstance(entry, TaskEntry) else entry.sentences) > 2 * QUICK_ROWS
