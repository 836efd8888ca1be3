"""What XferBench will cost before it starts: its operations, at the pace of trainings on sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backend.experiments.estimate import CHARACTERS_A_TOKEN, Estimate, earlier_scores
from backend.experiments.sources import price
from backend.experiments.sources.rows import FAMILY
from backend.experiments.sources.source import Pretraining
from backend.experiments.xferbench.rows import tuning_flop
from backend.experiments.xferbench.spec import Cell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from backend.corpora.parallel.library import CorpusEntry
    from backend.experiments.speed import Speed
    from backend.experiments.xferbench.spec import Piece, Target
    from backend.store.scores import ShardFile


def of_pieces(
    pieces: Sequence[Piece], texts: Sequence[CorpusEntry], speed: Speed, earlier: Sequence[ShardFile]
) -> Estimate | None:
    """Seconds for some shards, whose targets are from `texts`; tunings of the `earlier` files tell both paces."""
    entries = {entry.id: entry for entry in texts}
    tuned = [file.provenance for file in earlier]
    return price.estimate(pieces, lambda piece: flop_of(piece, entries), speed, tuned, tuned)


def flop_of(piece: Piece, texts: Mapping[str, CorpusEntry]) -> float:
    """Floating-point operations of one shard; of a cell, as far as its text is long."""
    options = piece.options
    match piece:
        case Pretraining():
            stage = options.pretraining
            return float(options.architecture.training_flop) * stage.tokens * stage.epochs
        case Cell():
            tokens = _tokens(piece.target, texts)
            own = tokens * (1 - options.held_out)
            tuned = options.tuning.tokens if options.protocol == "printed" else min(options.tuning.tokens, own)
            return float(tuning_flop(options, round(tuned), round(min(options.evaluation_tokens, tokens * options.held_out))))


def _tokens(target: Target, texts: Mapping[str, CorpusEntry]) -> float:
    """Of a target's text, roughly: as many as anyone can ask for where the corpus is not known."""
    entry = texts.get(target.corpus)
    known = [] if entry is None else [each.characters for each in entry.languages if each.tag == target.language]
    return known[0] / CHARACTERS_A_TOKEN if known else float("inf")


xferbench = price.of_spec(of_pieces, lambda workspaces: earlier_scores(workspaces, FAMILY))
"""Seconds for what is missing of a spec."""
