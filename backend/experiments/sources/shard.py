"""What all shards that train on a source share: progress, threads, measurements, curves and base models."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from isogloss.backend.experiments.spec import Cancelled, Context
from isogloss.backend.experiments.training import train_once
from isogloss.backend.store import bases, details, scores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from isogloss.backend.experiments.sources.source import Pretraining
    from isogloss.backend.training.resumable.loop import TrainingProgress

CURVE = pa.schema([("step", pa.int32()), ("loss", pa.float64())])
"""Of a training: the mean loss in nats of the steps since the row before."""
POINTS = 400
"""Rows of a kept curve, at most."""
SMALL = 20_000_000
"""Operations a trained token: a model that takes no more is trained on one thread."""


def base_model(key: str, train: Callable[[], None], context: Context) -> Path:
    """Return the folder of a base model, trained first where it is not kept. Raises what `train` does."""
    train_once(key, lambda: is_kept(key, context), train, context)
    folder = bases.load(key, context.workspaces)
    assert folder is not None
    return folder


def begin_with(
    base: Pretraining[Any] | None, pretrain: Callable[[Pretraining[Any], Context], None], share: float, context: Context
) -> tuple[Path | None, Context]:
    """Return the folder of a cell's base model, trained first where it is not kept, and the context of what is left to be done.

    `share` is what the base model takes of a cell that trains it. Raises what `pretrain` does.
    """
    if base is None:
        return None, context
    first, rest = context, context
    if not is_kept(base.key, context):
        first, rest = part_of(context, 0.0, share), part_of(context, share, 1.0)
    return base_model(base.key, lambda: pretrain(base, first), first), rest


def publish_scores(
    key: str, family: str, rows: pa.Table, folder: Path, provenance: Mapping[str, Any], context: Context
) -> None:
    """Keep the scores of a tuning that lies in `folder`, with its curve; nothing where another worker has."""
    from isogloss.backend.training.resumable.lock import lock

    with lock(folder):
        if scores.exists(context.workspaces, family, key):
            return
        details.write(context.workspace, key, read_curve(folder), provenance)
        scores.write(context.workspace, family, key, rows, provenance)


@contextmanager
def threads(training_flop: int) -> Iterator[None]:
    """While it lasts a small model computes on one thread: the digits are then the same however many cores there are.

    More threads gain little on small products, and wait for one another where others compute too: on four cores with a load
    of 9 a step of `quick` took 24 to 30 ms on one thread, 37 to 280 on two and 4,300 on four.
    """
    from isogloss.backend.training.resumable import reproducible

    with reproducible.threads(1 if training_flop <= SMALL else None):
        yield


def is_kept(key: str, context: Context) -> bool:
    """Return whether a base model is there."""
    return bases.load(key, context.workspaces) is not None


def publish(key: str, model: Path, folder: Path, provenance: Mapping[str, Any], context: Context) -> None:
    """Keep the base model of a training that lies in `folder`; `provenance` is what it is."""
    import shutil

    from isogloss.backend.training.resumable.checkpoint import publish_folder

    target = bases.path(context.workspace, key)
    shutil.rmtree(target, ignore_errors=True)  # not whole, or it would have been found
    with publish_folder(target, within=folder) as temporary:
        bases.fill(temporary, model, provenance)


def cancel_unless(by_another: bool) -> None:
    """Raise `Cancelled` for a training that ended early, unless another worker has published its result."""
    if not by_another:
        raise Cancelled


def measurements(context: Context, flop: int, started: float | None) -> dict[str, Any]:
    """Return what estimates go by: the operations, and the seconds they took (None where a part was done before)."""
    from isogloss.backend.models.device import choose_device, choose_dtype, named
    from isogloss.backend.training.resumable.reproducible import what_varies

    device = choose_device(context.settings.device)
    seconds = None if started is None else round(time.perf_counter() - started, 3)
    found = {"device": named(device), "precision": str(choose_dtype(device)[0]), "flop": flop, "seconds": seconds}
    return found | ({"varies": varies} if (varies := what_varies()) else {})


def step_reporter(context: Context, what: str) -> Callable[[TrainingProgress], None]:
    """Return what a training reports its steps to."""

    def report(now: TrainingProgress) -> None:
        context.progress(f"{what}: step {now.step:,} of {now.steps:,}, loss {now.loss:.2f}", now.step / now.steps)

    return report


def part_of(context: Context, first: float, last: float) -> Context:
    """Return the context of a part of what is to be done."""
    return replace(context, progress=lambda what, share: context.progress(what, first + (last - first) * share))


def read_curve(folder: Path) -> pa.Table:
    """Return the curve of the training in `folder`, as `CURVE`."""
    from isogloss.backend.training.resumable.folder import LOG
    from isogloss.backend.training.resumable.log import learning_curve

    steps, losses = zip(*learning_curve(folder / LOG, POINTS), strict=True)
    return pa.table([pa.array(steps, pa.int32()), pa.array(losses, pa.float64())], schema=CURVE)
