"""What is to be trained: the options of new runs, all of them in the URL, and the spec that they make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import streamlit as st

from backend.corpora.tasks import library as tasks
from backend.corpora.tasks.library import TaskEntry
from backend.errors import SpecError
from backend.experiments.spec import validate
from backend.experiments.transfer.spec import TransferSpec
from backend.experiments.transfer.windows import EVALUATED, Evaluated, typed, windows_of
from backend.models.entry import Model
from backend.training.finetune.options import (
    EPOCHS,
    LEARNING_RATES,
    WITH_MNLI,
    Algorithm,
    FinetuneOptions,
    Recipe,
    Setting,
    Windows,
    nearest_setting,
    record_interval,
)
from pages.transfer.shared.selection import LabelledData, Selection
from pages.widgets import prefixes
from pages.widgets.workspace import workspaces

ALGORITHMS: dict[Algorithm, str] = {"vanilla": "Vanilla", "gaussian": "Gaussian", "xtune": "xTune"}
OWN: Literal["own"] = "own"
EVALUATED_NAMES: dict[Evaluated | Literal["own"], str] = {
    "zero": "At zero training error",
    "curve": "Along the curve",
    "figure1": "Figure 1: E′ 0 to 0.2",
    "table9": "Table 9: E′ 0.03",
    "all": "At every record point",
    OWN: "In windows of one's own",
}
EVALUATED_HELP = (
    "At the record points whose training error lies in these windows. IGap there is the same whatever else is evaluated; "
    "“Along the curve” leaves out every second window; the scatter needs every point."
)
WINDOWS_HELP = "E′+ε, separated by commas: 0.03+0.025 is a training error from 0.03 to under 0.055."
EPOCHS_HELP = "Passes over the training examples; fewer where a run may stop early."
PATIENCE_HELP = (
    "Record points in a row with a training error of zero, after which a run ends. IGap is a minimum over all that was "
    "trained, so stopping early can only raise it; the paper's runs go on to the last epoch."
)
RECIPE_HELP = (
    "BERT's head without dropout before its dense layer, as `BertForSequenceClassification` has it; other models are alike in "
    "both. Off: as in runs of earlier versions. Weight decay is 0 either way, as in table 4."
)
QUICK_ROWS, QUICK_EPOCHS = 128, 40
"""Of a quick look at a task of more than twice as many rows: minutes, not hours, and updates enough to learn."""
ROWS_HELP = (
    "At most so many training rows, and so many for testing, drawn at random, the same in every language. A share of 128 rows "
    "is known to 9 points or better (95%)."
)
PRESETS = {"quick": "Quick look", "paper": "As published (table 4)", "mnli": "As published (table 9)"}
RATES = ("1e-06", "5e-06", "1e-05", "2e-05", "5e-05", "0.0001", "0.0002", "0.0005", "0.001")
RATIOS = tuple(round(0.1 * i, 1) for i in range(11))


def setting_of(data: LabelledData) -> Setting:
    """Return the column of table 4 that is nearest: random labels, pairs with two classes (PAWS-X), else XNLI."""
    if not isinstance(data.entry, TaskEntry):
        return "parallel"
    return nearest_setting(len(data.entry.labels), is_pair=data.entry.is_pair)


@dataclass(frozen=True)
class Preset:
    """What the controls stand at before they are touched."""

    name: str
    rates: tuple[float, ...]
    seeds: int
    epochs: int
    evaluated: Evaluated
    patience: int | None
    recipe: Recipe


def preset_of(name: str, setting: Setting) -> Preset:
    """Return the controls of a preset: the published ones stop at nothing and fine-tune as `transformers` does."""
    match name:
        case "paper":
            return Preset(name, LEARNING_RATES[setting], 3, EPOCHS[setting], "figure1", None, "trainer")
        case "mnli":
            return Preset(name, WITH_MNLI.learning_rates, 3, WITH_MNLI.epochs, "table9", None, "trainer")
        case _:
            return Preset("quick", LEARNING_RATES[setting][-1:], 1, 10, "curve", FinetuneOptions().patience, "first")


def options(data: LabelledData) -> dict[str, Any]:
    """The controls; the fields of a `TransferSpec` but for models, data and languages. Raises `SpecError` for a bad number."""
    setting, few = setting_of(data), _takes_few(data)
    offered = [name for name in PRESETS if name != "mnli" or setting == "xnli"]
    offered = offered if data.translated else [name for name in offered if name != "paper"]  # table 4 has no such training
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
        windows = _windows(preset)
        algorithms = st.multiselect(
            "Algorithms", list(ALGORITHMS), ["vanilla"], ALGORITHMS.__getitem__, "train_algorithm", bind="query-params"
        )
    name = preset.name
    with st.container(horizontal=True, vertical_alignment="bottom"):
        # A preset's defaults come with it: a key each, else the widget would keep the other's.
        key, given = f"train_rate_{name}_{setting}", [_rate(each) for each in preset.rates]
        rates = st.multiselect("Learning rates", RATES, given, key=key, bind="query-params", accept_new_options=True)
        seeds = st.number_input("Seeds", 1, 50, preset.seeds, key=f"train_seeds_{name}", bind="query-params", width=110)
        key = f"train_epochs_{name}_{setting}" + ("_few" if few else "")
        epochs = st.number_input("Epochs", 1, 1000, preset.epochs, key=key, bind="query-params", width=120, help=EPOCHS_HELP)
        batch = st.number_input("Batch", 1, 4096, 32, key="train_batch", bind="query-params", width=110)
    found: dict[str, Any] = {
        "algorithms": algorithms or ["vanilla"],
        "learning_rates": [_number(each) for each in rates] or list(preset.rates),
        "seeds": list(range(int(seeds))),
        **_of_data(data, name, few=few),
    }
    found["training"] = {"epochs": int(epochs), "batch": int(batch), "windows": windows}
    found["training"] |= _rarely(preset, data, int(batch), found.get("rows"))
    found["training"] |= _of_algorithms(found["algorithms"])
    return found


def _windows(preset: Preset) -> Windows | Literal["all"]:
    """Return where targets are evaluated: in named windows or in those typed. Raises `SpecError` for what is typed wrong."""
    options = list(EVALUATED_NAMES)
    key = "evaluated" if preset.name == "quick" else f"evaluated_{preset.name}"
    evaluated = st.selectbox(
        "Targets evaluated",
        options,
        options.index(preset.evaluated),
        EVALUATED_NAMES.__getitem__,
        key,
        EVALUATED_HELP,
        bind="query-params",
        width=230,
    )
    if evaluated != "own":
        return EVALUATED[evaluated]
    first = typed(((0.0, 0.001), (0.03, 0.025)))
    return windows_of(st.text_input("Windows", first, key="windows", bind="query-params", help=WINDOWS_HELP, width=260))


def specs(selection: Selection, fields: dict[str, Any]) -> list[TransferSpec]:
    """Return one spec a model. Raises `SpecError` with the first problem in words."""
    fields = {
        "data": selection.data.kind,
        "corpus": selection.data.entry.id,
        "sources": selection.sources,
        "languages": selection.targets,
        **fields,
    }
    return [validate(TransferSpec, fields | _of_model(selection, model, fields["training"])) for model in selection.models]


def _of_model(selection: Selection, model: Model, training: dict[str, Any]) -> dict[str, Any]:
    checkpoints = selection.checkpoints(model)
    before = prefixes.at(selection.prefixes, checkpoints)
    return {"model": model.name, "checkpoints": checkpoints, "training": training | {"prefix": before}}


def _of_data(data: LabelledData, preset: str, *, few: bool) -> dict[str, Any]:
    """Options of the data: how many rows or sentences, corruption, the part for validation, additional examples."""
    found: dict[str, Any] = {}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if isinstance(data.entry, TaskEntry):
            found["rows"] = _rows(preset, few=few)
        label, key = "Label corruption", "train_corruption"
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


def _rarely(preset: Preset, data: LabelledData, batch: int, rows: int | None) -> dict[str, Any]:
    """Options that few change."""
    defaults, key = FinetuneOptions(), "train_record_every"
    first = defaults.record_every
    if isinstance(data.entry, TaskEntry) and not data.translated:
        trained = data.entry.rows - data.entry.validation_rows
        first = record_interval(min(trained, rows or trained), batch)
        key = f"train_record_every_{batch}" + (f"_{rows}" if rows else "")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        every = st.number_input("Evaluate every (steps)", 1, max(10_000, first), first, key=key, bind="query-params")
        patience = st.number_input(
            "Stop after records at 0%",
            1,
            1000,
            preset.patience,
            key=f"train_patience_{preset.name}",
            help=PATIENCE_HELP,
            bind="query-params",
            placeholder="Never",
        )
        longest = st.number_input(
            "Max. sequence length", 4, 2048, defaults.max_tokens, key="train_max_tokens", bind="query-params"
        )
        as_theirs = st.toggle(
            "Head as in Transformers",
            preset.recipe == "trainer",
            key=f"train_head_{preset.name}",
            bind="query-params",
            help=RECIPE_HELP,
        )
        compiled = st.toggle("Compile", key="train_compile", bind="query-params", help="Faster on GPUs after a minute.")
    found = {"record_every": int(every), "patience": int(patience) if patience else None, "max_tokens": int(longest)}
    return found | {"compile": compiled, "recipe": "trainer" if as_theirs else "first"}


def _of_algorithms(algorithms: Sequence[Algorithm]) -> dict[str, float]:
    """Return the noise and the weight of the KL; no box for what no chosen algorithm has."""
    defaults = FinetuneOptions()
    found: dict[str, float] = {}
    if set(algorithms) == {"vanilla"}:
        return found
    with st.container(horizontal=True, vertical_alignment="bottom"):
        what = "Standard deviation of the Gaussian noise on word embeddings (Gaussian, xTune)."
        noise = st.number_input(
            "Noise σ", 0.0, None, defaults.noise, 0.005, "%.4g", "train_noise", what, bind="query-params", width=150
        )
        found["noise"] = float(noise)
        if "xtune" in algorithms:
            what = "Weight of the symmetric KL divergence between the predictions of the clean and the noised input (xTune)."
            weight = st.number_input(
                "KL weight λ₁", 0.0, None, defaults.consistency, 0.1, "%.4g", "train_kl", what, bind="query-params", width=150
            )
            found["consistency"] = float(weight)
    return found


def _rate(value: float) -> str:
    return f"{value:g}"


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise SpecError(f"'{text[:30]}' is no learning rate. Type a number such as 2e-5.") from None
