"""The settings of new runs that few change: of the evaluation, of the data, and of the training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import streamlit as st

from backend.corpora.tasks import library as tasks
from backend.corpora.tasks.library import TaskEntry
from backend.experiments.transfer.windows import EVALUATED, Evaluated, typed, windows_of
from backend.training.finetune.options import Algorithm, FinetuneOptions, Setting, Windows, record_interval
from pages.transfer.shared.selection import LabelledData
from pages.transfer.training.presets import Preset
from pages.widgets.workspace import workspaces

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
    "“Along the curve” leaves out every second window; the scatter (figures 1a and 7) needs every point."
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
RATIOS = tuple(round(0.1 * i, 1) for i in range(11))
BATCH, VALIDATION = 32, 0.2


@dataclass(frozen=True)
class Keys:
    """The keys of the settings that few change: a preset's defaults come with it, so most have one for each preset."""

    preset: Preset
    data: LabelledData
    setting: Setting
    few: bool

    @property
    def epochs(self) -> str:
        """Of the passes over the examples."""
        return f"train_epochs_{self.preset.name}_{self.setting}" + ("_few" if self.few else "")

    @property
    def evaluated(self) -> str:
        """Of where targets are evaluated."""
        return "evaluated" if self.preset.name == "quick" else f"evaluated_{self.preset.name}"

    @property
    def patience(self) -> str:
        """Of the records after which a run ends."""
        return f"train_patience_{self.preset.name}"

    @property
    def head(self) -> str:
        """Of the classifier's form."""
        return f"train_head_{self.preset.name}"

    @property
    def untouched(self) -> dict[str, object]:
        """What the settings stand at at first; how often is evaluated hangs on others, and is not counted."""
        evaluated = self.preset.evaluated
        shown = self.evaluated in st.session_state  # else the link has its name
        return {
            self.evaluated: evaluated if shown else EVALUATED_NAMES[evaluated],
            self.epochs: self.preset.epochs,
            "train_batch": BATCH,
            "train_corruption": [],
            "train_validation": VALIDATION,
            "train_extra": None,
            self.patience: self.preset.patience,
            "train_max_tokens": FinetuneOptions().max_tokens,
            self.head: self.preset.recipe == "trainer",
            "train_compile": False,
            "train_noise": FinetuneOptions().noise,
            "train_kl": FinetuneOptions().consistency,
        }


def draw(keys: Keys, found: Mapping[str, Any]) -> dict[str, Any]:
    """Draw the settings that few change: of the evaluation, of the data, and of the training."""
    preset = keys.preset
    with st.container(horizontal=True, vertical_alignment="bottom"):
        windows = _windows(preset, keys.evaluated)
        epochs = st.number_input(
            "Epochs", 1, 1000, preset.epochs, key=keys.epochs, bind="query-params", width=120, help=EPOCHS_HELP
        )
        batch = int(st.number_input("Batch", 1, 4096, BATCH, key="train_batch", bind="query-params", width=110))
    of_data = _of_data(keys.data)
    training = {"epochs": int(epochs), "batch": batch, "windows": windows}
    training |= _of_training(keys, batch, found.get("rows"))
    return of_data | {"training": training | _of_algorithms(found["algorithms"])}


def _windows(preset: Preset, key: str) -> Windows | Literal["all"]:
    """Return where targets are evaluated: in named windows or in those typed. Raises `SpecError` for what is typed wrong."""
    options = list(EVALUATED_NAMES)
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


def _of_data(data: LabelledData) -> dict[str, Any]:
    """Options of the data: corruption, the part for validation, additional examples."""
    found: dict[str, Any] = {}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label, key = "Label corruption", "train_corruption"
        chosen = st.multiselect(label, RATIOS, [], "{:.0%}".format, key, bind="query-params", placeholder="None")
        found["corruptions"] = chosen or [0.0]
        if not isinstance(data.entry, TaskEntry):
            return found
        if not data.entry.validation_rows:
            aside = "Rows set aside for testing, the same in every language."
            found["validation_share"] = st.number_input(
                "Validation share",
                0.01,
                0.9,
                VALIDATION,
                0.05,
                key="train_validation",
                help=aside,
                bind="query-params",
                width=150,
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


def _of_training(keys: Keys, batch: int, rows: int | None) -> dict[str, Any]:
    """Options of the training: how often it is evaluated, when it ends, how much of a text is read, the head."""
    preset, data = keys.preset, keys.data
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
            key=keys.patience,
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
            key=keys.head,
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
