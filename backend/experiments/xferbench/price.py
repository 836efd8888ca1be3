"""What XferBench will cost before it starts: operations, at the pace of earlier trainings or of a bare measurement."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from backend.experiments.estimate import CHARACTERS_A_TOKEN, RECENT, STARTING_SECONDS, Estimate
from backend.experiments.sources.source import Pretraining
from backend.experiments.xferbench.rows import tuning_flop
from backend.experiments.xferbench.spec import Cell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from backend.corpora.parallel.library import CorpusEntry
    from backend.experiments.xferbench.spec import Piece, Target
    from backend.store.scores import ShardFile
    from backend.training.language_model.options import Architecture
    from backend.training.translation.options import TranslationArchitecture

OVERHEAD = 1.5
"""Training a large model against bare matrix products: softmax over the vocabulary, attention, norms and the optimiser."""
SECONDS_A_TOKEN = 3e-5
"""What a trained token costs on a CPU however small the model is: elementwise work, starting operations, the optimiser."""
ON_GPU = 1e-6
SHARD_SECONDS = 1.5
"""Reading and tokenising, once a shard."""
SEEN = "from this model's last trainings on such a device"
GUESSED = "from a one-second measurement on {}"


def xferbench(
    pieces: Sequence[Piece],
    texts: Sequence[CorpusEntry],
    worker: Mapping[str, Any],
    earlier: Sequence[ShardFile],
) -> Estimate | None:
    """Seconds of one worker for `pieces` of a spec (those of `missing`).

    `texts` are the entries of the corpora that targets are from, `worker` is what a living worker said of itself; None where
    none has measured its speed yet. `earlier` are this family's files: the newest of the same model on such a device say how
    fast it trains.
    """
    if "encoding_flops" not in worker or not pieces:
        return None
    entries = {entry.id: entry for entry in texts}
    flop = sum(flop_of(piece, entries) for piece in pieces)
    shape = pieces[0].options.architecture
    starting = STARTING_SECONDS + SHARD_SECONDS * len(pieces)
    if pace := seen(shape, worker, [file.about for file in earlier]):
        return Estimate(starting + flop * pace, len(pieces), SEEN)
    return Estimate(starting + flop * guessed(shape, worker), len(pieces), GUESSED.format(worker["device"]))


def flop_of(piece: Piece, texts: Mapping[str, CorpusEntry]) -> float:
    """Floating-point operations of one shard; of a cell, as far as its text is long."""
    options = piece.options
    match piece:
        case Pretraining():
            stage = options.pretraining
            return float(options.architecture.training_flop) * stage.tokens * stage.epochs
        case Cell():
            tokens = _tokens(piece.target, texts)
            tuned = min(options.tuning.tokens, tokens * (1 - options.held_out))
            return float(tuning_flop(options, round(tuned), round(min(options.evaluation_tokens, tokens * options.held_out))))


def _tokens(target: Target, texts: Mapping[str, CorpusEntry]) -> float:
    """Of a target's text, roughly: as many as anyone can ask for where the corpus is not known."""
    entry = texts.get(target.corpus)
    known = [] if entry is None else [each.characters for each in entry.languages if each.tag == target.language]
    return known[0] / CHARACTERS_A_TOKEN if known else float("inf")


def guessed(shape: Architecture | TranslationArchitecture, worker: Mapping[str, Any]) -> float:
    """Seconds an operation: at the speed of large products, and what every token costs besides."""
    besides = SECONDS_A_TOKEN if str(worker["device"]).startswith("CPU") else ON_GPU
    return OVERHEAD / float(worker["encoding_flops"]) + besides / shape.training_flop


def seen(
    architecture: Architecture | TranslationArchitecture, worker: Mapping[str, Any], earlier: Sequence[Mapping[str, Any]]
) -> float:
    """Seconds an operation of the last trainings of such a model on such a device; 0 where there were none.

    `earlier` is what they say of themselves, the oldest first.
    """
    on_cpu = str(worker["device"]).startswith("CPU")
    shape = architecture.model_dump(mode="json")
    paces = []
    for about in earlier:
        same = about.get("options", {}).get("architecture") == shape and about.get("seconds") and about.get("flop")
        if same and str(about.get("device", "")).startswith("cpu") == on_cpu:
            paces.append(float(about["seconds"]) / float(about["flop"]))
    return median(paces[-RECENT:]) if paces else 0.0
