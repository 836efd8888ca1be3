"""Score rows of a tuned translation model: chrF and BLEU of the held-out pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.experiments.sources import rows as sources

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from isogloss.backend.experiments.translation.spec import Cell
    from isogloss.backend.training.translation.options import TranslationOptions

METRICS = ("chrf", "bleu")
"""Percent; higher is better."""


def rows(piece: Cell, beams: Mapping[str, Mapping[int, float]], pairs: int) -> pa.Table:
    """Build two rows (`SCORES`), each metric's mean over beams.

    `beams` are the values by beam, `pairs` how many were translated.

    `target` is the pair of languages, `<source language>><target language>`.
    """
    means = {metric: float(np.mean(list(beams[metric].values()))) for metric in METRICS}
    return sources.rows(piece, means, corpus=piece.text.corpus, target=piece.text.pair, n=pairs)


def pretraining_flop(options: TranslationOptions) -> int:
    """Count the operations to pre-train: every token of every epoch is read and written."""
    return options.architecture.training_flop * options.pretraining.tokens * options.pretraining.epochs


def tuning_flop(options: TranslationOptions, tuned_tokens: float, test_tokens: float) -> int:
    """Count the operations to tune on so many tokens, every epoch, and to translate so many in every width of the beam search.

    A beam reads one token for each that it writes: a forward pass is a third of a training step's operations.
    """
    flop = options.architecture.training_flop
    translated = flop / 3 * test_tokens * sum(options.beams)
    return round(flop * options.tuning.epochs * tuned_tokens + translated)
