"""What the tests of fine-tuning share: a tiny task in three invented languages and a tiny model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading.load import Loaded, load
from isogloss.backend.settings import Settings
from isogloss.backend.training.finetune.data import ClassificationData
from isogloss.backend.training.finetune.options import FinetuneOptions
from tests.models.tiny import SENTENCES, Architecture, tiny_model

if TYPE_CHECKING:
    from pathlib import Path

OPTIONS: dict[str, Any] = {"learning_rate": 2e-3, "epochs": 8, "batch": 8, "record_every": 3, "windows": "all", "seed": 3}


def tiny_loaded(folder: Path, architecture: Architecture = "xlm-roberta", **shape: int) -> Loaded:
    tiny_model(folder / architecture, architecture, **shape)
    settings = Settings(workspace=folder / "workspace", device="cpu")
    return load(discover(str(folder / architecture)).checkpoints[0], settings, full_precision=True)


def tiny_task(examples: int = 24, classes: int = 3, extra: int = 0, seed: int = 0) -> ClassificationData:
    """Pairs of sentences with random labels; the other languages are the words in reverse order and in capitals."""
    random = np.random.default_rng(seed)

    def pairs(n: int) -> list[tuple[str, str]]:
        return [(SENTENCES[i] + f" {k}", SENTENCES[j]) for k, (i, j) in enumerate(random.integers(0, 10, (n, 2)))]

    english, validation = pairs(examples), pairs(9)
    reverse = {text: " ".join(reversed(text.split())) for pair in [*english, *validation] for text in pair}

    def translated(source: list[tuple[str, str]]) -> dict[str, list[tuple[str, str]]]:
        return {
            "en": source,
            "de": [(reverse[a], reverse[b]) for a, b in source],
            "ru": [(a.upper(), b.upper()) for a, b in source],
        }

    labels = random.integers(0, classes, 9)
    return ClassificationData(
        source="en",
        train=translated(english),
        labels=random.integers(0, classes, examples),
        validation=translated(validation),
        validation_labels={"en": labels, "de": labels, "ru": np.roll(labels, 1)},
        extra=pairs(extra),
        extra_labels=random.integers(0, classes, extra),
    )


def tiny_options(**changes: Any) -> FinetuneOptions:
    return FinetuneOptions(**OPTIONS | changes)
