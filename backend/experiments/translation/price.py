"""What a machine-translation check will cost before it starts, reckoned as XferBench's is (`xferbench_estimate`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backend.experiments.estimate import CHARACTERS_A_TOKEN, STARTING_SECONDS, Estimate
from backend.experiments.sources.source import Pretraining
from backend.experiments.translation.rows import pretraining_flop, tuning_flop
from backend.experiments.translation.spec import Cell
from backend.experiments.xferbench.price import GUESSED, SEEN, SHARD_SECONDS, guessed, seen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from backend.corpora.parallel.library import CorpusEntry
    from backend.experiments.translation.spec import Piece


def translation(
    pieces: Sequence[Piece],
    texts: Sequence[CorpusEntry],
    worker: Mapping[str, Any],
    earlier: Sequence[Mapping[str, Any]],
) -> Estimate | None:
    """Seconds of one worker for `pieces` of a spec (those of `missing`).

    `texts` are the entries of the corpora that are translated, `worker` is what a living worker said of itself; None where none
    has measured its speed yet. `earlier` is what kept base models and files of scores say of themselves, the oldest first.
    """
    if "encoding_flops" not in worker or not pieces:
        return None
    entries = {entry.id: entry for entry in texts}
    shape = pieces[0].options.architecture
    seconds, basis = STARTING_SECONDS + SHARD_SECONDS * len(pieces), SEEN
    for kind in (Pretraining, Cell):  # translating is slower than training, for its operations
        own = [piece for piece in pieces if isinstance(piece, kind)]
        pace = seen(shape, worker, [about for about in earlier if ("setting" in about) == (kind is Cell)]) if own else 0.0
        if own and not pace:
            pace, basis = guessed(shape, worker), GUESSED.format(worker["device"])
        seconds += sum(flop_of(piece, entries) for piece in own) * pace
    return Estimate(seconds, len(pieces), basis)


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
