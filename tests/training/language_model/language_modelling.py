"""What the tests of language models share: a tiny source, a tiny target and tiny options."""

from __future__ import annotations

from typing import Any

import numpy as np

from isogloss.backend.corpora.emergent.corpus import EmergentCorpus
from isogloss.backend.training.language_model.options import Architecture, LanguageModelOptions
from isogloss.backend.training.resumable.options import Stage
from tests.corpora.emergent.utterances import from_utterances

SHAPE: dict[str, Any] = {"layers": 2, "heads": 2, "dims": 16, "context": 12, "vocabulary": 300, "dropout": 0.1}


def tiny_options(**changes: Any) -> LanguageModelOptions:
    values: dict[str, Any] = {
        "architecture": Architecture(**SHAPE),
        "pretraining": Stage(tokens=500, epochs=2, batch=6, learning_rate=1e-2),
        "tuning": Stage(tokens=600, epochs=2, batch=8, learning_rate=1e-2),
        "evaluation_tokens": 100,
        "seed": 3,
    }
    return LanguageModelOptions(**values | changes)


def tiny_source(seed: int = 0, utterances: int = 40) -> EmergentCorpus:
    random = np.random.default_rng(seed)
    return from_utterances([random.integers(0, 9, random.integers(1, 8)).tolist() for _ in range(utterances)])


def tiny_texts(seed: int = 0, texts: int = 60) -> list[str]:
    """Sentences of invented words, each text another."""
    random = np.random.default_rng(seed)
    words = ["".join(random.choice(list("abdeiklmnoprstuøé日本"), random.integers(2, 6))) for _ in range(25)]
    return [" ".join(random.choice(words, random.integers(3, 9))) + f" {place}." for place in range(texts)]
