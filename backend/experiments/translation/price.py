"""What a machine-translation check will cost before it starts: its operations, at the pace of trainings on sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backend.experiments.estimate import CHARACTERS_A_TOKEN, Estimate, earlier_scores, read_cached
from backend.experiments.sources import price
from backend.experiments.sources.rows import FAMILY
from backend.experiments.sources.source import Pretraining
from backend.experiments.translation.rows import pretraining_flop, tuning_flop
from backend.experiments.translation.spec import Cell
from backend.store import bases

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from backend.corpora.parallel.library import CorpusEntry
    from backend.experiments.speed import Speed
    from backend.experiments.translation.spec import Piece


def of_pieces(
    pieces: Sequence[Piece], texts: Sequence[CorpusEntry], speed: Speed, earlier: Sequence[Mapping[str, Any]]
) -> Estimate | None:
    """Seconds for some shards, which translate `texts`, each kind at its own pace: translating is slower than training.

    `earlier` is what kept base models and files of scores say of themselves, the oldest first.
    """
    entries = {entry.id: entry for entry in texts}
    pretrained, tuned = (
        [provenance for provenance in earlier if ("setting" in provenance) is of_tuning] for of_tuning in (False, True)
    )
    return price.estimate(pieces, lambda piece: flop_of(piece, entries), speed, pretrained, tuned)


def flop_of(piece: Piece, texts: Mapping[str, CorpusEntry]) -> float:
    """Floating-point operations of one shard; of a cell, as far as its text is long."""
    match piece:
        case Pretraining():
            return float(pretraining_flop(piece.options))
        case Cell():
            options = piece.options
            pairs, each = _pairs(piece, texts)
            tuned = min(pairs * (1 - options.held_out), options.tuning.pairs) * each
            tested = min(pairs * options.held_out, options.test_pairs) * min(each, options.translation_tokens)
            return float(tuning_flop(options, min(tuned, options.tuning.tokens), tested))


def _pairs(piece: Cell, texts: Mapping[str, CorpusEntry]) -> tuple[float, float]:
    """Pairs of a text, and roughly the tokens of a sentence: as many as can be asked for where the corpus is not known."""
    entry = texts.get(piece.text.corpus)
    known = [each for each in entry.languages if each.tag == piece.text.source_language] if entry is not None else []
    if not known or not known[0].sentences:
        return float("inf"), float(piece.options.translation_tokens)
    return float(known[0].sentences), known[0].characters / known[0].sentences / CHARACTERS_A_TOKEN


def _earlier(workspaces: Sequence[Path]) -> list[Mapping[str, Any]]:
    """What kept base models and files of scores say of themselves."""
    return [
        *read_cached("bases/*", workspaces, bases.every),
        *(file.provenance for file in earlier_scores(workspaces, FAMILY)),
    ]


translation = price.of_spec(of_pieces, _earlier)
"""Seconds for what is missing of a spec."""
