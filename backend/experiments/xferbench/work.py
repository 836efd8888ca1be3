"""How much work a training of XferBench is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.experiments.sources import work
from isogloss.backend.experiments.sources.source import Pretraining
from isogloss.backend.experiments.sources.work import tokens_of
from isogloss.backend.experiments.xferbench.rows import tuning_flop

if TYPE_CHECKING:
    from isogloss.backend.experiments.family import Place
    from isogloss.backend.experiments.pricing.estimate import Work
    from isogloss.backend.experiments.xferbench.spec import Piece, XferBenchSpec


def xferbench(spec: XferBenchSpec, shard: str, place: Place) -> Work:
    """Return the work of pre-training a base model, or of tuning and scoring one in a target, as far as its text is long."""
    piece: Piece = spec.shards()[shard]  # type: ignore[assignment]
    options = piece.options
    if isinstance(piece, Pretraining):
        stage = options.pretraining
        return work.work(piece, options.architecture.training_flop * stage.tokens * stage.epochs)
    tokens = tokens_of(piece.target.corpus, piece.target.language, place)[1]
    tuned: float = options.tuning.tokens
    if options.protocol != "printed":
        tuned = min(tuned, tokens * (1 - options.held_out))
    tested = min(options.evaluation_tokens, tokens * options.held_out)
    return work.work(piece, tuning_flop(options, round(tuned), round(tested)))
