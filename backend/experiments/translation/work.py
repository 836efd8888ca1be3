"""How much work a training of the machine-translation check is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.experiments.sources import work
from isogloss.backend.experiments.sources.source import Pretraining
from isogloss.backend.experiments.sources.work import tokens_of
from isogloss.backend.experiments.translation.rows import pretraining_flop, tuning_flop

if TYPE_CHECKING:
    from isogloss.backend.experiments.family import Place
    from isogloss.backend.experiments.pricing.estimate import Work
    from isogloss.backend.experiments.translation.spec import Piece, TranslationSpec


def translation(spec: TranslationSpec, shard: str, place: Place) -> Work:
    """Return the work of pre-training a base model, or of tuning one and translating with it, as far as its text is long."""
    piece: Piece = spec.shards()[shard]  # type: ignore[assignment]
    options = piece.options
    if isinstance(piece, Pretraining):
        return work.work(piece, pretraining_flop(options))
    pairs, tokens = tokens_of(piece.text.corpus, piece.text.source_language, place)
    each = tokens / pairs if tokens < float("inf") else float(options.translation_tokens)
    tuned = min(pairs * (1 - options.held_out), options.tuning.pairs) * each
    tested = min(pairs * options.held_out, options.test_pairs) * min(each, options.translation_tokens)
    return work.work(piece, tuning_flop(options, min(tuned, options.tuning.tokens), tested))
