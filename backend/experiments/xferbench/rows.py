"""The row that a tuned model adds to the table of scores: its cross-entropy on the held-out text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from backend.experiments.xferbench.spec import variant
from backend.store import scores

if TYPE_CHECKING:
    import pyarrow as pa

    from backend.experiments.xferbench.spec import Cell
    from backend.training.language_model.options import LanguageModelOptions

FAMILY = "emergent"
"""`experiment` of the rows, and the folder of their files."""
METRIC = "cross_entropy"
"""Nats a token; lower is better."""


def variant_of(piece: Cell) -> str:
    """The `variant` of a cell's score."""
    return variant(piece.preset, piece.options)


def rows(piece: Cell, cross_entropy: float, test_tokens: int) -> pa.Table:
    """One row (`SCORES`). `test_tokens` are those of the held-out text; `n` is how many scores the mean is over."""
    row = {
        "metric": METRIC,
        "source": piece.source.key,
        "target": piece.target.language,
        "value": cross_entropy,
        "low": np.nan,
        "high": np.nan,
        "n": scored_tokens(piece.options, test_tokens),
    }
    return scores.table(
        [row],
        run=piece.key,
        experiment=FAMILY,
        model=piece.preset,
        checkpoint=None if piece.base is None else piece.base.key,
        corpus=piece.target.corpus,
        variant=variant_of(piece),
        seed=piece.options.seed,
    )


def scored_tokens(options: LanguageModelOptions, test_tokens: int) -> int:
    """Tokens that are scored of a text of so many: all but the first; with `released` most of them twice."""
    from backend.training.language_model.evaluate import spans

    windows = spans(test_tokens, options.architecture.context, options.protocol)
    return sum(span.end - span.scored for span in windows)


def tuning_flop(options: LanguageModelOptions, tuned_tokens: int, test_tokens: int) -> int:
    """Operations to tune on so many tokens, every epoch, and to score so many, most of them in two windows."""
    flop = options.architecture.training_flop
    return flop * options.tuning.epochs * tuned_tokens + 2 * (flop // 3) * test_tokens
