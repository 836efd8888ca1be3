"""What is to be trained: the options of new runs, all of them in the URL, and the spec that they make."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from backend.corpora.tasks.library import TaskEntry
from backend.errors import SpecError
from backend.experiments.spec import validate
from backend.experiments.transfer.spec import TransferSpec
from backend.models.entry import Model
from backend.training.finetune.options import (
    Algorithm,
)
from pages.transfer.shared.selection import LabelledData, Selection
from pages.transfer.training import rarely
from pages.transfer.training.presets import PRESETS, preset_of, setting_of
from pages.widgets.choosing import more, prefixes

ALGORITHMS: dict[Algorithm, str] = {"vanilla": "Vanilla", "gaussian": "Gaussian", "xtune": "xTune"}
QUICK_ROWS, QUICK_EPOCHS = 128, 40
"""Of a quick look at a task of more than twice as many rows: minutes, not hours, and updates enough to learn."""
ROWS_HELP = (
    "At most so many training rows, and so many for testing, drawn at random, the same in every language. A share of 128 rows "
    "is known to 9 points or better (95%)."
)
RATES = ("1e-06", "5e-06", "1e-05", "2e-05", "5e-05", "0.0001", "0.0002", "0.0005", "0.001")


def options(data: LabelledData) -> dict[str, Any]:
    """The controls; the fields of a `TransferSpec` but for models, data and languages. Raises `SpecError` for a bad number."""
    setting, few = setting_of(data), _takes_few(data)
    left_out = set() if setting == "xnli" else {"mnli", "scatter"}  # as their table and figures
    left_out |= set() if data.translated else {"paper", "scatter"}  # table 4 has no such training
    offered = [name for name in PRESETS if name not in left_out]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.segmented_control(
            "Preset",
            offered,
            default="quick",
            format_func=PRESETS.__getitem__,
            required=True,
            key="preset",
            bind="query-params",
        )
        preset = preset_of(chosen or "quick", setting)
        if few and preset.name == "quick":
            preset = replace(preset, epochs=QUICK_EPOCHS)
        found = _how_many(data, preset.name, few=few)
    name = preset.name
    with st.container(horizontal=True, vertical_alignment="bottom"):
        algorithms = st.multiselect(
            "Algorithms", list(ALGORITHMS), ["vanilla"], ALGORITHMS.__getitem__, "train_algorithm", bind="query-params"
        )
        # A preset's defaults come with it: a key each, else the widget would keep the other's.
        key, given = f"train_rate_{name}_{setting}", [_rate(each) for each in preset.rates]
        rates = st.multiselect("Learning rates", RATES, given, key=key, bind="query-params", accept_new_options=True)
        seeds = st.number_input("Seeds", 1, 50, preset.seeds, key=f"train_seeds_{name}", bind="query-params", width=110)
    found |= {
        "algorithms": algorithms or ["vanilla"],
        "learning_rates": [_number(each) for each in rates] or list(preset.rates),
        "seeds": list(range(int(seeds))),
    }
    keys = rarely.Keys(preset, data, setting, few)
    with more.settings("train", keys.untouched):
        return found | rarely.draw(keys, found)


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
    return [validate(TransferSpec, fields | _of_model(selection, model, fields["training"])) for model in trained]


def _of_model(selection: Selection, model: Model, training: dict[str, Any]) -> dict[str, Any]:
    checkpoints = selection.checkpoints(model)
    before = prefixes.at(selection.prefixes, checkpoints)
    return {"model": model.name, "checkpoints": checkpoints, "training": training | {"prefix": before}}


def _how_many(data: LabelledData, preset: str, *, few: bool) -> dict[str, Any]:
    """Return how many rows of a task, or sentences of a corpus, are trained on."""
    if isinstance(data.entry, TaskEntry):
        return {"rows": _rows(preset, few=few)}
    limit = st.number_input(
        "Sentences", 2, None, None, key="train_sentences", bind="query-params", placeholder="All", width=130
    )
    return {"sentences": int(limit) if limit else None}


def _takes_few(data: LabelledData) -> bool:
    """Return whether a quick look takes few of the rows: those of a large task."""
    return isinstance(data.entry, TaskEntry) and data.entry.rows - data.entry.validation_rows > 2 * QUICK_ROWS


def _rows(preset: str, *, few: bool) -> int | None:
    """Return how many rows are trained on at most; None for all."""
    first = QUICK_ROWS if few and preset == "quick" else None
    key = f"train_rows_{preset}" + ("_few" if few else "")
    rows = st.number_input(
        "Training rows", 2, None, first, key=key, help=ROWS_HELP, bind="query-params", placeholder="All", width=140
    )
    return int(rows) if rows else None


def _rate(value: float) -> str:
    return f"{value:g}"


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise SpecError(f"'{text[:30]}' is no learning rate. Type a number such as 2e-5.") from None
