"""The machine-translation check: pre-train on a source, tune on pairs of sentences, translate. One shard is one training."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from isogloss.backend.corpora.parallel import library
from isogloss.backend.experiments.sources import compute as sources
from isogloss.backend.experiments.sources.base import train_base
from isogloss.backend.experiments.sources.rows import FAMILY
from isogloss.backend.experiments.sources.shard import (
    begin_with,
    cancel_unless,
    measurements,
    part_of,
    publish_scores,
    step_reporter,
    threads,
)
from isogloss.backend.experiments.sources.text import TOKENIZERS
from isogloss.backend.experiments.spec import Context
from isogloss.backend.experiments.training import folder_of
from isogloss.backend.experiments.translation import rows as translation_scores
from isogloss.backend.experiments.translation.spec import Cell, TranslationSpec
from isogloss.backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from isogloss.backend.experiments.sources.source import Pretraining
    from isogloss.backend.experiments.translation.spec import ParallelText
    from isogloss.backend.training.resumable.loop import TrainingProgress
    from isogloss.backend.training.translation.options import TranslationOptions
    from isogloss.backend.training.translation.tune import TranslatedScore

BASE_SHARE = 0.5
"""Of a cell that trains its base model first."""
TRAINED = 0.8
"""How far a tuning is when it is trained, and translates what is held out."""


def compute(spec: TranslationSpec, shard: str, context: Context) -> None:
    """Compute one shard (`sources.compute`). Raises what that, `pretrain`, `tune` and reading the texts raise."""
    sources.compute(spec, shard, context, _pretrain, _tune)


def texts_of(text: ParallelText, workspaces: Sequence[Path]) -> tuple[list[str], list[str]]:
    """The sentences that a corpus has in both languages, in its order. Raises `CorpusError` where it lacks one of them."""
    _, found = library.load(text.corpus, workspaces).align([text.source_language, text.target_language])
    return found[text.source_language], found[text.target_language]


def _pretrain(piece: Pretraining[TranslationOptions], context: Context) -> None:
    from isogloss.backend.training.translation.pretrain import pretrain

    symbols, flop = piece.options.architecture.symbols, translation_scores.pretraining_flop(piece.options)
    train_base(piece, pretrain, context, text_entries=symbols, symbols=symbols, flop=flop)


def _tune(piece: Cell, context: Context) -> None:
    from isogloss.backend.training.translation.pairs import translation_text
    from isogloss.backend.training.translation.tune import tune

    folder = folder_of(piece.key, context)
    base, context = begin_with(piece.base, _pretrain, BASE_SHARE, context)
    began, started = not (folder / "run.json").exists(), time.perf_counter()
    context.step(f"reading {piece.text.label}", 0.0)
    text = translation_text(*texts_of(piece.text, context.workspaces), piece.options, context.workspace / TOKENIZERS)
    with threads(piece.options.architecture.training_flop):
        outcome = tune(
            base,
            text,
            piece.setting,
            piece.options,
            folder,
            device=context.settings.device,
            progress=_reporter(context, piece),
            should_stop=lambda: context.should_stop() or scores.exists(context.workspaces, FAMILY, piece.key),
        )
    if outcome.chrf is None or outcome.bleu is None:
        return cancel_unless(scores.exists(context.workspaces, FAMILY, piece.key))
    tuned, tested = int(text.sources.lengths.sum()), int(text.test.lengths.sum())
    flop = translation_scores.tuning_flop(piece.options, tuned, tested)
    provenance = {
        **piece.provenance(),
        **piece.variant._asdict(),
        **measurements(context, flop, started if began else None),
        **_found(outcome),
        "label": piece.label,
        "tuned_pairs": len(text.sources),
        "tuned_tokens": tuned,
        "test_pairs": len(text.test),
        "repeated_pairs": text.repeated,
    }
    rows = translation_scores.rows(piece, {"chrf": outcome.chrf, "bleu": outcome.bleu}, len(text.test))
    return publish_scores(piece.key, FAMILY, rows, folder, provenance, context)


def _reporter(context: Context, piece: Cell) -> Callable[[TrainingProgress], None]:
    """As `step_reporter`; after the last step it says that what is held out is translated, which takes a while."""
    steps = step_reporter(part_of(context, 0.0, TRAINED), f"tuning {piece.label}")

    def report(now: TrainingProgress) -> None:
        steps(now)
        if now.step == now.steps:
            context.progress(f"translating: {piece.label}", TRAINED)

    return report


def _found(tuned: TranslatedScore) -> dict[str, Any]:
    """Return what a reader may want of a tuned model besides its scores: each width of the beam, and some translations."""
    return {
        "chrf": {str(beam): value for beam, value in (tuned.chrf or {}).items()},
        "bleu": {str(beam): value for beam, value in (tuned.bleu or {}).items()},
        "examples": [asdict(example) for example in tuned.examples],
    }
