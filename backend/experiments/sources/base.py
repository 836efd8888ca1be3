"""The shard that pre-trains on a source: of XferBench's language models and of the translation check's models alike."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from isogloss.backend.experiments.sources import text as xferbench_text
from isogloss.backend.experiments.sources.shard import (
    cancel_unless,
    is_kept,
    measurements,
    publish,
    read_curve,
    step_reporter,
    threads,
)
from isogloss.backend.experiments.training import folder_of
from isogloss.backend.store import details

if TYPE_CHECKING:
    from collections.abc import Callable

    from isogloss.backend.experiments.sources.source import Pretraining
    from isogloss.backend.experiments.spec import Context
    from isogloss.backend.training.language_model.options import Text
    from isogloss.backend.training.resumable.run import PretrainedModel


def train_base(
    piece: Pretraining[Any],
    pretrain: Callable[..., PretrainedModel],
    context: Context,
    *,
    text_entries: int,
    symbols: int,
    flop: int,
    text: Text = "file order",
) -> None:
    """Train, or go on where a training was killed, and publish the base model; nothing where another worker has.

    `pretrain` is that of `backend.training.language_model` or of `backend.training.translation`. `text_entries` are the
    sub-words of a source that is text, `symbols` those that the model has embeddings for: a corpus with more is folded
    (`fold_ranks`). `flop` counts the operations of the whole training. `text` says which texts of a human source come first.

    Raises `Cancelled` where it was asked to stop, and what `pretrain` and reading the source raise.
    """
    from isogloss.backend.training.resumable.folder import RUN
    from isogloss.backend.training.resumable.lock import lock

    folder = folder_of(piece.key, context)
    began, started = not (folder / RUN).exists(), time.perf_counter()
    context.step(f"reading {piece.source.label}", 0.0)
    budget, seed = piece.options.pretraining.tokens, piece.options.seed
    corpus = xferbench_text.source_corpus(piece.source, text_entries, budget, context, text, seed)
    with threads(piece.options.architecture.training_flop):
        trained = pretrain(
            xferbench_text.fold_ranks(corpus, symbols),
            piece.options,
            folder,
            device=context.settings.device,
            progress=step_reporter(context, piece.label),
            should_stop=lambda: context.should_stop() or is_kept(piece.key, context),
        )
    if trained.model is None:
        cancel_unless(is_kept(piece.key, context))
        return
    with lock(folder):
        if is_kept(piece.key, context):  # by another worker, between the training's end and here
            return
        provenance = {
            **piece.provenance(),
            **measurements(context, flop, started if began else None),
            "label": piece.label,
            "symbols": corpus.vocabulary_size,  # those beyond the model's embeddings share one with others
            "tokens": corpus.tokens,
        }
        details.write(context.workspace, piece.key, read_curve(folder), provenance)
        publish(piece.key, trained.model, folder, provenance, context)
