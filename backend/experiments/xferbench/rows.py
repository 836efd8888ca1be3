"""Score row of a tuned language model: its cross-entropy on the held-out text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.experiments.sources import rows as sources

if TYPE_CHECKING:
    import pyarrow as pa

    from isogloss.backend.experiments.xferbench.spec import Cell
    from isogloss.backend.training.language_model.options import LanguageModelOptions

METRIC = "cross_entropy"
"""Nats per token; lower is better."""


def rows(piece: Cell, cross_entropy: float, test_tokens: int) -> pa.Table:
    """Build one row (`SCORES`). `test_tokens` are those of the held-out text; `n` is how many scores the mean is over."""
    n = scored_tokens(piece.options, test_tokens)
    return sources.rows(piece, {METRIC: cross_entropy}, corpus=piece.target.corpus, target=piece.target.language, n=n)


def scored_tokens(options: LanguageModelOptions, test_tokens: int) -> int:
    """Count the tokens that are scored of a text of so many: all but the first; as `released` most of them twice."""
    from isogloss.backend.training.language_model.evaluate import spans

    windows = spans(test_tokens, options.architecture.context, options.protocol)
    return sum(span.end - span.scored for span in windows)


def tuning_flop(options: LanguageModelOptions, tuned_tokens: int, test_tokens: int) -> int:
    """Count the operations to tune on so many tokens, every epoch, and to score so many, most of them in two windows."""
    flop = options.architecture.training_flop
    return flop * options.tuning.epochs * tuned_tokens + 2 * (flop // 3) * test_tokens
