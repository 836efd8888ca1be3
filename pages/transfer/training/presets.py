"""What the form of new runs stands at before it is touched: a quick look, or as published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from isogloss.backend.corpora.tasks.library import TaskEntry
from isogloss.backend.experiments.transfer.windows import Evaluated
from isogloss.backend.training.finetune.options import (
    EPOCHS,
    LEARNING_RATES,
    WITH_MNLI,
    Setting,
    nearest_setting,
)
from isogloss.pages.transfer.shared.selection import LabelledData

PRESETS = {
    "quick": "Quick look",
    "paper": "As published (table 4)",
    "scatter": "As published (figures 1a, 7)",
    "mnli": "As published (table 9)",
}


QUICK_RATES = ((10_000_000, 5e-4), (150_000_000, 1e-4))
"""Of a quick look: up to so many parameters, the learning rate; a larger model, or one of unknown size, has `LARGE_RATE`. Our
choice: at 2e-5, XLM-R's, a small model still errs on half of its training examples at the end."""
LARGE_RATE = 2e-5
QUICK_HELP = (
    "None: by the size of each model, which is our choice. Up to 10 M parameters 0.0005, up to 150 M 0.0001, larger ones 2e-05."
)


def quick_rate(parameters: int | None) -> float:
    """Return the learning rate of a quick look at a model of so many parameters; None where that is not known."""
    return next((rate for most, rate in QUICK_RATES if parameters is not None and parameters <= most), LARGE_RATE)


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
    """None of a quick look: by the size of each model (`quick_rate`)."""
    seeds: int
    evaluated: Evaluated
    training: dict[str, Any]
    """Fields of `FinetuneOptions`; the others are at their defaults."""


def preset_of(name: str, setting: Setting) -> Preset:
    """Return the controls of a preset: the published ones stop at nothing and fine-tune as `transformers` does.

    A quick look trains until a run errs no more, for 80 epochs at most. `paper` evaluates what IGap is taken from, `scatter`
    every record point, the first epochs' among them.
    """
    published = {"patience": None, "recipe": "trainer"}
    match name:
        case "paper" | "scatter":
            evaluated: Evaluated = "figure1" if name == "paper" else "all"
            return Preset(name, LEARNING_RATES[setting], 3, evaluated, published | {"epochs": EPOCHS[setting]})
        case "mnli":
            return Preset(name, WITH_MNLI.learning_rates, 3, "table9", published | {"epochs": WITH_MNLI.epochs})
        case _:
            return Preset("quick", (), 1, "curve", {"epochs": 80})
