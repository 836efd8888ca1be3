"""What is to be trained: the options of new runs, all of them in the URL, and the spec that they make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from backend.corpora.tasks import library as tasks
from backend.corpora.tasks.library import TaskEntry
from backend.errors import SpecError
from backend.experiments.spec import validate
from backend.experiments.transfer.spec import EVALUATED, Evaluated, TransferSpec
from backend.training.finetune.options import EPOCHS, LEARNING_RATES, Algorithm, FinetuneOptions, Setting, nearest_setting
from pages.transfer.shared.selection import LabelledData, Selection
from pages.widgets.workspace import workspaces

ALGORITHMS: dict[Algorithm, str] = {"vanilla": "Vanilla", "gaussian": "Gaussian", "xtune": "xTune"}
EVALUATED_NAMES: dict[Evaluated, str] = {
    "zero": "At zero training error",
    "curve": "Along the curve",
    "all": "At every record point",
}
EVALUATED_HELP = (
    "At the record points whose training error lies in these windows. IGap there is the same in all three; the scatter needs "
    "every point."
)
EPOCHS_HELP = "At most: a run ends once its training error has stayed at zero."
PRESETS = {"quick": "Quick look", "paper": "As published (table 4)"}
RATES = ("1e-06", "5e-06", "1e-05", "2e-05", "5e-05", "0.0001", "0.0002", "0.0005", "0.001")
RATIOS = tuple(round(0.1 * i, 1) for i in range(11))


def setting_of(data: LabelledData) -> Setting:
    """Return the column of table 4 that is nearest: random labels, pairs with two classes (PAWS-X), else XNLI."""
    if not isinstance(data.entry, TaskEntry):
        return "parallel"
    return nearest_setting(len(data.entry.labels), is_pair=data.entry.is_pair)


def options(data: LabelledData) -> dict[str, Any]:
    """The controls; the fields of a `TransferSpec` but for models, data and languages. Raises `SpecError` for a bad number."""
    setting = setting_of(data)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        preset = st.segmented_control(
            "Preset", list(PRESETS), default="quick", format_func=PRESETS.__getitem__, key="preset", bind="query-params"
        )
        named = EVALUATED_NAMES.__getitem__
        evaluated = st.selectbox(
            "Targets evaluated", list(EVALUATED), 1, named, "evaluated", EVALUATED_HELP, bind="query-params", width=220
        )
        algorithms = st.multiselect(
            "Algorithms", list(ALGORITHMS), ["vanilla"], ALGORITHMS.__getitem__, "train_algorithm", bind="query-params"
        )
    preset = preset or "quick"
    paper = preset == "paper"
    rates = LEARNING_RATES[setting] if paper else (LEARNING_RATES[setting][-1],)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        # A preset's defaults come with it: a key each, else the widget would keep the other's.
        key, given = f"train_rate_{preset}_{setting}", [_rate(each) for each in rates]
        chosen = st.multiselect("Learning rates", RATES, given, key=key, bind="query-params", accept_new_options=True)
        seeds = st.number_input("Seeds", 1, 50, 3 if paper else 1, key=f"train_seeds_{preset}", bind="query-params", width=110)
        key, first = f"train_epochs_{preset}_{setting}", EPOCHS[setting] if paper else 10
        epochs = st.number_input("Epochs", 1, 1000, first, key=key, bind="query-params", width=120, help=EPOCHS_HELP)
        batch = st.number_input("Batch", 1, 4096, 32, key="train_batch", bind="query-params", width=110)
    found: dict[str, Any] = {
        "algorithms": algorithms or ["vanilla"],
        "learning_rates": [_number(each) for each in chosen] or list(rates),
        "seeds": list(range(int(seeds))),
        **_of_data(data),
    }
    found["training"] = {"epochs": int(epochs), "batch": int(batch), "windows": EVALUATED[evaluated], **_rarely()}
    return found


def specs(selection: Selection, fields: dict[str, Any]) -> list[TransferSpec]:
    """Return one spec a model. Raises `SpecError` with the first problem in words."""
    fields = {
        "data": selection.data.kind,
        "corpus": selection.data.entry.id,
        "sources": selection.sources,
        "languages": selection.targets,
        **fields,
    }
    return [
        validate(TransferSpec, {"model": model.name, "checkpoints": selection.checkpoints(model), **fields})
        for model in selection.models
    ]


def _of_data(data: LabelledData) -> dict[str, Any]:
    """Options of the data: corruption, the part for validation, additional examples, how many sentences."""
    found: dict[str, Any] = {}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label, key = "Labels replaced at random", "train_corruption"
        chosen = st.multiselect(label, RATIOS, [], "{:.0%}".format, key, bind="query-params", placeholder="None")
        found["corruptions"] = chosen or [0.0]
        if not isinstance(data.entry, TaskEntry):
            limit = st.number_input(
                "Sentences", 2, None, None, key="train_sentences", bind="query-params", placeholder="All", width=130
            )
            return found | {"sentences": int(limit) if limit else None}
        if not data.entry.validation_rows:
            aside = "Rows set aside for testing, the same in every language."
            found["validation_share"] = st.number_input(
                "Validation share", 0.01, 0.9, 0.2, 0.05, key="train_validation", help=aside, bind="query-params", width=150
            )
        return found | {"extra": _extra(data.entry)}


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


def _rarely() -> dict[str, Any]:
    """Options that few change."""
    defaults = FinetuneOptions()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        every = st.number_input(
            "Steps between records", 1, 10_000, defaults.record_every, key="train_record_every", bind="query-params"
        )
        zeros = "Record points in a row with a training error of zero."
        patience = st.number_input(
            "Stop after zeros", 1, 1000, defaults.patience, key="train_patience", help=zeros, bind="query-params"
        )
        longest = st.number_input("Tokens at most", 4, 2048, defaults.max_tokens, key="train_max_tokens", bind="query-params")
        compiled = st.toggle("Compile", key="train_compile", bind="query-params", help="Faster on GPUs after a minute.")
    return {"record_every": int(every), "patience": int(patience or 5), "max_tokens": int(longest), "compile": compiled}


def _rate(value: float) -> str:
    return f"{value:g}"


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise SpecError(f"'{text[:30]}' is no learning rate. Type a number such as 2e-5.") from None
