"""What the form of new runs stands at before it is touched: a quick look, or as published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from backend.corpora.tasks.library import TaskEntry
from backend.experiments.transfer.windows import Evaluated
from backend.training.finetune.options import (
    EPOCHS,
    LEARNING_RATES,
    WITH_MNLI,
    Setting,
    nearest_setting,
)
from pages.transfer.shared.selection import LabelledData

PRESETS = {
    "quick": "Quick look",
    "paper": "As published (table 4)",
    "scatter": "As published (figures 1a, 7)",
    "mnli": "As published (table 9)",
}


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
    evaluated: Evaluated
    training: dict[str, Any]
    """Fields of `FinetuneOptions`; the others are at their defaults."""


def preset_of(name: str, setting: Setting) -> Preset:
    """Return the controls of a preset: the published ones stop at nothing and fine-tune as `transformers` does.

    `paper` evaluates what IGap is taken from, `scatter` every record point, the first epochs' among them.
    """
    published = {"patience": None, "recipe": "trainer"}
    match name:
        case "paper" | "scatter":
            evaluated: Evaluated = "figure1" if name == "paper" else "all"
            return Preset(name, LEARNING_RATES[setting], 3, evaluated, published | {"epochs": EPOCHS[setting]})
        case "mnli":
            return Preset(name, WITH_MNLI.learning_rates, 3, "table9", published | {"epochs": WITH_MNLI.epochs})
        case _:
            return Preset("quick", LEARNING_RATES[setting][-1:], 1, "curve", {"epochs": 10})
