"""What the tests of translation models share: tiny options, and an invented parallel text."""

from __future__ import annotations

from typing import Any

import numpy as np

from isogloss.backend.training.resumable.options import Stage
from isogloss.backend.training.translation.options import Infilling, TranslationArchitecture, TranslationOptions, TuningStage

SHAPE: dict[str, Any] = {
    "encoder_layers": 1,
    "decoder_layers": 2,
    "heads": 2,
    "dims": 16,
    "feed_forward": 24,
    "context": 24,
    "vocabulary": 300,
    "dropout": 0.1,
}
PADDING, START, END, MASK = 296, 297, 298, 299
"""The last of that vocabulary."""


def tiny_options(**changes: Any) -> TranslationOptions:
    values: dict[str, Any] = {
        "architecture": TranslationArchitecture(**SHAPE),
        "infilling": Infilling(),
        "pretraining": Stage(tokens=500, epochs=2, batch=6, learning_rate=1e-2),
        "tuning": TuningStage(pairs=40, tokens=2000, epochs=3, batch=8, learning_rate=1e-2),
        "beams": (1, 3),
        "translation_tokens": 20,
        "held_out": 0.2,
        "test_pairs": 6,
        "seed": 3,
    }
    return TranslationOptions(**values | changes)


def tiny_pairs(seed: int = 0, pairs: int = 60) -> tuple[list[str], list[str]]:
    """Sentences of numbers' names, each another, and the same in another language."""
    random = np.random.default_rng(seed)
    ours, theirs = ["nul", "ein", "zwo", "dri", "vier", "fünf"], ["zéro", "un", "deux", "trois", "quatre", "cinq"]
    drawn = [random.integers(0, 6, random.integers(2, 6)).tolist() for _ in range(pairs)]
    sources = [" ".join(ours[each] for each in row) + f" {place}." for place, row in enumerate(drawn)]
    return sources, [" ".join(theirs[each] for each in row) + f" {place}!" for place, row in enumerate(drawn)]


def rows_of(rows: Any) -> list[list[int]]:
    """Each sentence's tokens."""
    return [rows.ids[a:b].tolist() for a, b in zip(rows.starts[:-1], rows.starts[1:], strict=True)]
