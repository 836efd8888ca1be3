"""XferBench: pre-train on a source, tune on a target, score there. One shard is one training (`spec`)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from isogloss.backend.experiments.sources import compute as sources
from isogloss.backend.experiments.sources.base import train_base
from isogloss.backend.experiments.sources.rows import FAMILY
from isogloss.backend.experiments.sources.same_texts import DIGEST
from isogloss.backend.experiments.sources.shard import (
    begin_with,
    cancel_unless,
    measurements,
    publish_scores,
    step_reporter,
    threads,
)
from isogloss.backend.experiments.sources.text import TOKENIZERS, text_digest, texts_of
from isogloss.backend.experiments.spec import Context
from isogloss.backend.experiments.training import folder_of
from isogloss.backend.experiments.xferbench import rows as xferbench_scores
from isogloss.backend.experiments.xferbench.spec import Cell, XferBenchSpec
from isogloss.backend.store import scores

if TYPE_CHECKING:
    from isogloss.backend.experiments.sources.source import Pretraining
    from isogloss.backend.training.language_model.options import LanguageModelOptions

BASE_SHARE = 0.6
"""Of a cell that trains its base model first."""


def compute(spec: XferBenchSpec, shard: str, context: Context) -> None:
    """Compute one shard (`sources.compute`). Raises what that, `pretrain`, `tune` and reading the texts raise."""
    sources.compute(spec, shard, context, _pretrain, _tune)


def _pretrain(piece: Pretraining[LanguageModelOptions], context: Context) -> None:
    from isogloss.backend.training.language_model.pretrain import pretrain

    shape, stage = piece.options.architecture, piece.options.pretraining
    entries = shape.vocabulary - 1  # as in a target, whose last embedding is the end of a text
    flop = shape.training_flop * stage.epochs * stage.tokens
    text = piece.options.text
    train_base(piece, pretrain, context, text_entries=entries, symbols=shape.vocabulary, flop=flop, text=text)


def _tune(piece: Cell, context: Context) -> None:
    from isogloss.backend.training.language_model.target import target_text
    from isogloss.backend.training.language_model.tune import tune

    folder = folder_of(piece.key, context)
    base, context = begin_with(piece.base, _pretrain, BASE_SHARE, context)
    began, started = not (folder / "run.json").exists(), time.perf_counter()
    context.step(f"reading {piece.target.label}", 0.0)
    texts = texts_of(piece.target.corpus, piece.target.language, context.workspaces)
    text = target_text(texts, piece.options, context.workspace / TOKENIZERS)
    with threads(piece.options.architecture.training_flop):
        tuned = tune(
            base,
            text,
            piece.options,
            folder,
            device=context.settings.device,
            progress=step_reporter(context, f"tuning {piece.label}"),
            should_stop=lambda: context.should_stop() or scores.exists(context.workspaces, FAMILY, piece.key),
        )
    if tuned.cross_entropy is None:
        return cancel_unless(scores.exists(context.workspaces, FAMILY, piece.key))
    flop = xferbench_scores.tuning_flop(piece.options, text.tuning.size, len(text.test))
    provenance = {
        **piece.provenance(),
        **piece.variant._asdict(),
        **measurements(context, flop, started if began else None),
        "label": piece.label,
        "variant": piece.variant.name,
        "tuned_tokens": int(text.tuning.size),
        **({"own_tokens": text.once} if text.once < text.tuning.size else {}),
        "test_tokens": len(text.test),
        "held_out_texts": len(text.held_out),
        "repeated_texts": text.repeated,
        "vocabulary": text.entries,
        DIGEST: text_digest(texts),
    }
    rows = xferbench_scores.rows(piece, tuned.cross_entropy, len(text.test))
    return publish_scores(piece.key, FAMILY, rows, folder, provenance, context)
