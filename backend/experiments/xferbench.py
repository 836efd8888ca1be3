"""XferBench: pre-train on a source, tune on a target, score there. One shard is one training (`xferbench_spec`)."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from backend.experiments import xferbench_scores, xferbench_text
from backend.experiments.spec import Cancelled, Context
from backend.experiments.xferbench_spec import Cell, Pretraining, XferBenchSpec
from backend.store import bases, details, scores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from backend.training.language_model.loop import LanguageModelProgress
    from backend.training.language_model.options import LanguageModelOptions

FOLDER = "training"
"""Where unfinished trainings lie in the workspace."""
FAMILY = xferbench_scores.FAMILY
CURVE = pa.schema([("step", pa.int32()), ("loss", pa.float64())])
"""Of a training: the mean loss in nats of the steps since the row before."""
POINTS = 400
"""Rows of a kept curve, at most."""
SMALL = 20_000_000
"""Operations a trained token: a model that takes no more is trained on one thread."""
BASE_SHARE = 0.6
"""Of a cell that trains its base model first."""


def missing(spec: XferBenchSpec, workspaces: Sequence[Path]) -> list[str]:
    """The shards that are still to be computed: cells without a score, and base models that one of these needs."""
    cells = [cell for key, cell in spec.cells().items() if not scores.exists(workspaces, FAMILY, key)]
    needed = {cell.base.key for cell in cells if cell.base is not None}
    wanted = {key for key in needed if bases.load(key, workspaces) is None} | {cell.key for cell in cells}
    return [key for key in spec.shards() if key in wanted]


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
            _until(lambda: scores.exists(context.workspaces, FAMILY, shard), lambda: _tune(piece, context), shard, context)


def base_model(piece: Pretraining, context: Context) -> Path:
    """The folder of a base model, trained first where it is not kept. Raises as `compute` does."""
    _until(lambda: _kept(piece, context), lambda: _pretrain(piece, context), piece.key, context)
    folder = bases.load(piece.key, context.workspaces)
    assert folder is not None
    return folder


def _until(done: Callable[[], bool], train: Callable[[], None], key: str, context: Context) -> None:
    """Train until it is done, here or by another worker, and remove what the training left."""
    from backend.training.alone import BusyError, let_go

    while not done():
        try:
            train()
        except BusyError:  # another worker was given the same by another request, or needs the same base model
            context.step("waiting for another worker with the same training", 0.0)
            time.sleep(1.0)
    let_go(context.workspace / FOLDER / key)


def _pretrain(piece: Pretraining, context: Context) -> None:
    from backend.training.alone import alone
    from backend.training.language_model.loop import curve
    from backend.training.language_model.pretrain import pretrain

    folder = context.workspace / FOLDER / piece.key
    began, started = not (folder / "run.json").exists(), time.perf_counter()
    context.step(f"reading {piece.source.label}", 0.0)
    corpus = xferbench_text.source_corpus(piece.source, piece.options, context)
    with _threads(piece.options):
        found = pretrain(
            xferbench_text.folded(corpus, piece.options.architecture.vocabulary),
            piece.options,
            folder,
            device=context.settings.device,
            progress=_told(context, piece.label),
            should_stop=lambda: context.should_stop() or _kept(piece, context),
        )
    if found.model is None:
        return _stopped(_kept(piece, context))
    with alone(folder):
        if _kept(piece, context):
            return None  # by another worker, between the training's end and here
        stage = piece.options.pretraining
        flop = piece.options.architecture.training_flop * stage.epochs * stage.tokens
        about = piece.about() | _measured(context, flop, started if began else None) | {
            "label": piece.label,
            "symbols": corpus.vocabulary_size,  # those beyond the model's embeddings share one with others
            "tokens": corpus.tokens,
        }  # fmt: skip
        details.write(context.workspace, piece.key, _curve(curve(folder, POINTS)), about)
        _publish(piece, found.model, folder, about, context)
    return None


def _publish(piece: Pretraining, model: Path, folder: Path, about: dict[str, Any], context: Context) -> None:
    import shutil

    from backend.training.checkpoint import whole_folder

    target = bases.path(context.workspace, piece.key)
    shutil.rmtree(target, ignore_errors=True)  # not whole, or it would have been found
    with whole_folder(target, within=folder) as temporary:
        bases.fill(temporary, model, about)


def _tune(piece: Cell, context: Context) -> None:
    from backend.training.alone import alone
    from backend.training.language_model.loop import curve
    from backend.training.language_model.tune import tune

    folder = context.workspace / FOLDER / piece.key
    base = None
    if piece.base is not None:
        trained = _kept(piece.base, context)
        base = base_model(piece.base, context if trained else _part(context, 0.0, BASE_SHARE))
        context = context if trained else _part(context, BASE_SHARE, 1.0)
    began, started = not (folder / "run.json").exists(), time.perf_counter()
    context.step(f"reading {piece.target.label}", 0.0)
    text = xferbench_text.target_text_of(piece.target, piece.options, context)
    with _threads(piece.options):
        found = tune(
            base,
            text,
            piece.options,
            folder,
            device=context.settings.device,
            progress=_told(context, f"tuning {piece.label}"),
            should_stop=lambda: context.should_stop() or scores.exists(context.workspaces, FAMILY, piece.key),
        )
    if found.cross_entropy is None:
        return _stopped(scores.exists(context.workspaces, FAMILY, piece.key))
    with alone(folder):
        if scores.exists(context.workspaces, FAMILY, piece.key):
            return None
        flop = xferbench_scores.tuning_flop(piece.options, text.tuning.size, len(text.test))
        about = piece.about() | _measured(context, flop, started if began else None) | {
            "label": piece.label,
            "variant": xferbench_scores.variant_of(piece),
            "tuned_tokens": int(text.tuning.size),
            "test_tokens": len(text.test),
            "held_out_texts": len(text.held_out),
            "repeated_texts": text.repeated,
            "vocabulary": text.entries,
        }  # fmt: skip
        details.write(context.workspace, piece.key, _curve(curve(folder, POINTS)), about)
        rows = xferbench_scores.rows(piece, found.cross_entropy, len(text.test))
        scores.write(context.workspace, FAMILY, piece.key, rows, about)
    return None


@contextmanager
def _threads(options: LanguageModelOptions) -> Iterator[None]:
    """While it lasts a small model computes on one thread: the digits are then the same however many cores there are.

    More threads gain little on small products, and wait for one another where others compute too: on four cores with a load
    of 9 a step of `quick` took 24 to 30 ms on one thread, 37 to 280 on two and 4,300 on four.
    """
    import torch

    before = torch.get_num_threads()
    if options.architecture.training_flop <= SMALL:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _kept(piece: Pretraining, context: Context) -> bool:
    return bases.load(piece.key, context.workspaces) is not None


def _stopped(by_another: bool) -> None:
    """A training that ended early was cancelled, unless another worker has published its result."""
    if not by_another:
        raise Cancelled


def _measured(context: Context, flop: int, started: float | None) -> dict[str, Any]:
    """What estimates go by: the operations, and the seconds they took (None where a part was done before)."""
    from backend.models.device import choose_device, choose_dtype

    device = choose_device(context.settings.device)
    seconds = None if started is None else round(time.perf_counter() - started, 3)
    return {"device": str(device), "precision": str(choose_dtype(device)[0]), "flop": flop, "seconds": seconds}


def _told(context: Context, what: str) -> Callable[[LanguageModelProgress], None]:
    def report(now: LanguageModelProgress) -> None:
        context.progress(f"{what}: step {now.step:,} of {now.steps:,}, loss {now.loss:.2f}", now.step / now.steps)

    return report


def _part(context: Context, first: float, last: float) -> Context:
    """The context of a part of what is to be done."""
    return replace(context, progress=lambda what, share: context.progress(what, first + (last - first) * share))


def _curve(points: Sequence[tuple[int, float]]) -> pa.Table:
    steps, losses = zip(*points, strict=True)
    return pa.table([pa.array(steps, pa.int32()), pa.array(losses, pa.float64())], schema=CURVE)
