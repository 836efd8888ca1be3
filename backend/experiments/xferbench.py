"""XferBench: pre-train on a source, tune on a target, score there. One shard is one training (`xferbench_spec`)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from backend.experiments import training_shard, xferbench_scores, xferbench_text
from backend.experiments.spec import Context
from backend.experiments.training_shard import (
    FOLDER,
    POINTS,
    curve_table,
    kept,
    measured,
    part,
    publish,
    stopped,
    threads,
    told,
    until,
)
from backend.experiments.xferbench_spec import Cell, Pretraining, XferBenchSpec
from backend.store import details, scores

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FAMILY = xferbench_scores.FAMILY
BASE_SHARE = 0.6
"""Of a cell that trains its base model first."""


def missing(spec: XferBenchSpec, workspaces: Sequence[Path]) -> list[str]:
    """The shards that are still to be computed: cells without a score, and base models that one of these needs."""
    return training_shard.missing(spec.shards(), spec.cells().values(), FAMILY, workspaces)


def compute(spec: XferBenchSpec, shard: str, context: Context) -> None:
    """Train, or go on where a training was killed, and publish a base model or a score; nothing where it is there.

    Raises `Cancelled` where it was asked to stop, and what `pretrain`, `tune` and reading the texts raise.
    """
    piece = spec.shards()[shard]
    match piece:
        case Pretraining():
            if shard in missing(spec, context.workspaces):
                base_model(piece, context)
        case Cell():
            until(lambda: scores.exists(context.workspaces, FAMILY, shard), lambda: _tune(piece, context), shard, context)


def base_model(piece: Pretraining, context: Context) -> Path:
    """The folder of a base model, trained first where it is not kept. Raises as `compute` does."""
    return training_shard.base_model(piece.key, lambda: _pretrain(piece, context), context)


def _pretrain(piece: Pretraining, context: Context) -> None:
    from backend.training.alone import alone
    from backend.training.language_model.loop import curve
    from backend.training.language_model.pretrain import pretrain

    folder = context.workspace / FOLDER / piece.key
    began, started = not (folder / "run.json").exists(), time.perf_counter()
    context.step(f"reading {piece.source.label}", 0.0)
    entries = piece.options.architecture.vocabulary - 1  # as in a target, whose last embedding is the end of a text
    corpus = xferbench_text.source_corpus(piece.source, entries, piece.options.pretraining.tokens, context)
    with threads(piece.options.architecture.training_flop):
        found = pretrain(
            xferbench_text.folded(corpus, piece.options.architecture.vocabulary),
            piece.options,
            folder,
            device=context.settings.device,
            progress=told(context, piece.label),
            should_stop=lambda: context.should_stop() or kept(piece.key, context),
        )
    if found.model is None:
        return stopped(kept(piece.key, context))
    with alone(folder):
        if kept(piece.key, context):
            return None  # by another worker, between the training's end and here
        stage = piece.options.pretraining
        flop = piece.options.architecture.training_flop * stage.epochs * stage.tokens
        about = piece.about() | measured(context, flop, started if began else None) | {
            "label": piece.label,
            "symbols": corpus.vocabulary_size,  # those beyond the model's embeddings share one with others
            "tokens": corpus.tokens,
        }  # fmt: skip
        details.write(context.workspace, piece.key, curve_table(curve(folder, POINTS)), about)
        publish(piece.key, found.model, folder, about, context)
    return None


def _tune(piece: Cell, context: Context) -> None:
    from backend.training.alone import alone
    from backend.training.language_model.loop import curve
    from backend.training.language_model.tune import tune

    folder = context.workspace / FOLDER / piece.key
    base = None
    if piece.base is not None:
        trained = kept(piece.base.key, context)
        base = base_model(piece.base, context if trained else part(context, 0.0, BASE_SHARE))
        context = context if trained else part(context, BASE_SHARE, 1.0)
    began, started = not (folder / "run.json").exists(), time.perf_counter()
    context.step(f"reading {piece.target.label}", 0.0)
    text = xferbench_text.target_text_of(piece.target, piece.options, context)
    with threads(piece.options.architecture.training_flop):
        found = tune(
            base,
            text,
            piece.options,
            folder,
            device=context.settings.device,
            progress=told(context, f"tuning {piece.label}"),
            should_stop=lambda: context.should_stop() or scores.exists(context.workspaces, FAMILY, piece.key),
        )
    if found.cross_entropy is None:
        return stopped(scores.exists(context.workspaces, FAMILY, piece.key))
    with alone(folder):
        if scores.exists(context.workspaces, FAMILY, piece.key):
            return None
        flop = xferbench_scores.tuning_flop(piece.options, text.tuning.size, len(text.test))
        about = piece.about() | measured(context, flop, started if began else None) | {
            "label": piece.label,
            "variant": xferbench_scores.variant_of(piece),
            "tuned_tokens": int(text.tuning.size),
            "test_tokens": len(text.test),
            "held_out_texts": len(text.held_out),
            "repeated_texts": text.repeated,
            "vocabulary": text.entries,
        }  # fmt: skip
        details.write(context.workspace, piece.key, curve_table(curve(folder, POINTS)), about)
        rows = xferbench_scores.rows(piece, found.cross_entropy, len(text.test))
        scores.write(context.workspace, FAMILY, piece.key, rows, about)
    return None
