"""The settings of new runs that few change: what is swept beside seeds, the evaluation, the data, and the training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import streamlit as st

from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.corpora.tasks.library import TaskEntry
from isogloss.backend.errors import SpecError
from isogloss.backend.experiments.transfer.spec import TransferSpec
from isogloss.backend.experiments.transfer.windows import EVALUATED_WORDS, named_windows, typed, windows_of
from isogloss.backend.training.finetune.options import FinetuneOptions, Setting, Windows, record_interval, strongest
from isogloss.pages.transfer.shared.selection import LabelledData
from isogloss.pages.transfer.training.presets import QUICK_HELP, Preset
from isogloss.pages.widgets.choosing.choices import box
from isogloss.pages.widgets.choosing.form import form
from isogloss.pages.widgets.choosing.form import untouched as at_first
from isogloss.pages.widgets.workspace import workspaces

OWN = "own"
EVALUATED_NAMES: dict[str, str] = {**EVALUATED_WORDS, OWN: "In windows of one's own"}
EVALUATED_HELP = (
    "At the record points whose training error lies in these windows. IGap there is the same whatever else is evaluated; "
    "“Along the curve” leaves out every second window; the scatter (figures 1a and 7) needs every point."
)
WINDOWS_HELP = "E′+ε, separated by commas: 3%+2.5% is a training error from 3% to under 5.5%."
RATES = ("1e-06", "5e-06", "1e-05", "2e-05", "5e-05", "0.0001", "0.0002", "0.0005", "0.001")
RATIOS = tuple(round(0.1 * i, 1) for i in range(11))
FIRST = ("epochs", "batch")
LATER = ("record_every", "patience", "max_tokens", "recipe", "compile")
NOISE = ("noise", "consistency")


def keys(preset: str, setting: Setting, *, few: bool) -> dict[str, str]:
    """Return the keys of the options that a preset fills in: one for each preset, since its defaults come with it."""
    return {
        "epochs": f"train_epochs_{preset}_{setting}" + ("_few" if few else ""),
        "patience": f"train_patience_{preset}",
        "recipe": f"train_head_{preset}",
        "evaluated": "evaluated" if preset == "quick" else f"evaluated_{preset}",
        "rates": f"train_rate_{preset}_{setting}",
    }


def untouched(preset: Preset, keys: Mapping[str, str]) -> dict[str, object]:
    """Return what the settings stand at at first; how often is evaluated hangs on others, and is not counted."""
    counted = [name for name in (*FIRST, *LATER, *NOISE) if name != "record_every"]
    return {
        keys["evaluated"]: preset.evaluated,
        keys["rates"]: [_rate(each) for each in preset.rates],
        "train_corruption": [],
        "train_extra": None,
        **at_first(TransferSpec, {}, {}, ("algorithms", "validation_share")),
        **at_first(FinetuneOptions, preset.training, keys, counted),
    }


def draw(preset: Preset, data: LabelledData, keys: Mapping[str, str], rows: int | None) -> dict[str, Any]:
    """Draw the settings that few change; `rows` of a task are trained on, all if None. Raises `SpecError` for a bad number."""
    swept = _swept(preset, keys["rates"])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        windows = _windows(preset, keys["evaluated"])
        training = form(FinetuneOptions, preset.training, only=FIRST, keys=keys, width=120) | {"windows": windows}
    of_data = _of_data(data)
    every, key = record_every(data, training["batch"], rows)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first = {**preset.training, "record_every": every}
        training |= form(FinetuneOptions, first, only=LATER, keys={**keys, "record_every": key})
    known = {"algorithm": strongest(swept["algorithms"])}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        training |= form(FinetuneOptions, {}, known, only=NOISE, width=150)
    return swept | of_data | {"training": training}


def _swept(preset: Preset, key: str) -> dict[str, Any]:
    """Draw what has a run of each seed for each value; rates are chosen of a list or typed."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = form(TransferSpec, {}, only=("algorithms",))["algorithms"]
        rates = st.multiselect(
            "Learning rates",
            RATES,
            given := [_rate(each) for each in preset.rates],
            key=key,
            help=None if given else QUICK_HELP,
            placeholder=None if given else "By the model's size",
            bind="query-params",
            accept_new_options=True,
        )
    return {"algorithms": chosen or ["vanilla"], "learning_rates": [_number(each) for each in rates] or list(preset.rates)}


def _rate(value: float) -> str:
    return f"{value:g}"


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise SpecError(f"'{text[:30]}' is no learning rate. Type a number such as 2e-5.") from None


def _windows(preset: Preset, key: str) -> Windows | Literal["all"]:
    """Return where targets are evaluated: in named windows or in those typed. Raises `SpecError` for what is typed wrong."""
    evaluated = box("Targets evaluated", EVALUATED_NAMES, key, preset.evaluated, EVALUATED_HELP, width=230)
    if evaluated != OWN:
        return named_windows(evaluated)
    first = typed(((0.0, 0.001), (0.03, 0.025)))
    return windows_of(st.text_input("Windows", first, key="windows", bind="query-params", help=WINDOWS_HELP, width=260))


def _of_data(data: LabelledData) -> dict[str, Any]:
    """Options of the data: corruption (shares are chosen of a list), the part for validation, additional examples."""
    fields: dict[str, Any] = {}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label, key = "Label corruption", "train_corruption"
        chosen = st.multiselect(label, RATIOS, [], "{:.0%}".format, key, bind="query-params", placeholder="None")
        fields["corruptions"] = chosen or [0.0]
        if not isinstance(data.entry, TaskEntry):
            return fields
        if not data.entry.validation_rows:
            fields |= form(TransferSpec, {}, only=("validation_share",), width=150)
        return fields | {"extra": _extra(data.entry)}


def _extra(entry: TaskEntry) -> str | None:
    """Return the id of the task whose rows are trained on too; no box where there is none."""
    others = {each.name: each.id for each in _beside(entry)}
    if not others:
        return None
    label, such = "Further training examples", "A task in the source language alone, such as MNLI beside XNLI (appendix B)."
    extra = st.selectbox(label, list(others), index=None, key="train_extra", help=such, placeholder="None", bind="query-params")
    return others[extra] if extra else None


def _beside(entry: TaskEntry) -> Sequence[TaskEntry]:
    """Return the tasks whose rows could be trained on too."""
    return [
        each
        for each in tasks.entries(workspaces())
        if each.id != entry.id and each.is_pair == entry.is_pair and set(each.labels) <= set(entry.labels)
    ]


def record_every(data: LabelledData, batch: int, rows: int | None) -> tuple[int, str]:
    """Return how often a run is evaluated at first, and the control's key: without translations it hangs on batch and rows."""
    if not isinstance(data.entry, TaskEntry) or data.translated:
        return FinetuneOptions().record_every, "train_record_every"
    trained = data.entry.rows - data.entry.validation_rows
    return record_interval(min(trained, rows or trained), batch), f"train_record_every_{batch}" + (f"_{rows}" if rows else "")
