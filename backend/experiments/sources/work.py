"""How much work a training on a source is: tokens, each as large as the model that learns it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isogloss.backend.experiments.pricing.estimate import Work, corpus_of
from isogloss.backend.experiments.sources.source import Pretraining, Tuning

if TYPE_CHECKING:
    from isogloss.backend.experiments.family import Place

CHARACTERS_A_TOKEN = 2.5
"""From 1.8 (an English vocabulary of 30,000 on Arabic, German, English and Russian news) to 4 (a large one on English)."""


def work(piece: Pretraining[Any] | Tuning[Any], operations: float) -> Work:
    """Return the work of one training of so many `operations`; pre-training and tuning are two kinds of it."""
    what = "pre-training" if isinstance(piece, Pretraining) else "tuning"
    return Work(float(operations), (what, piece.options.architecture.model_dump_json(), piece.source.key))


def tokens_of(corpus: str, language: str, place: Place) -> tuple[float, float]:
    """Return the texts of a saved corpus in a language, and roughly the tokens of all; without end where it is not kept."""
    entry = corpus_of(corpus, place.workspaces)
    known = [each for each in entry.languages if each.tag == language and each.sentences] if entry is not None else []
    return (known[0].sentences, known[0].characters / CHARACTERS_A_TOKEN) if known else (float("inf"), float("inf"))
