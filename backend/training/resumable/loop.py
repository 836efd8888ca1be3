"""The training loop: it can be stopped or killed at any moment and goes on to the same result."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol

import torch

from isogloss.backend.errors import ModelError
from isogloss.backend.training.resumable.progress import Progress
from isogloss.backend.training.resumable.reproducible import deterministically

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from isogloss.backend.training.resumable.folder import RunFolder
    from isogloss.backend.training.resumable.options import Stage, Training

UNREAD = {"cuda": 32}
"""Steps whose losses wait on the device before they are read: reading one makes the host wait for it."""


@dataclass(frozen=True)
class TrainingProgress(Progress):
    """Where a run is: on a GPU told after several steps."""

    doing: Training
    loss: float
    """Of the last step, before its update, in nats."""
    tokens_per_second: float
    """Since the last report; those of windows or pairs, predicted or not."""


class Trainable(Protocol):
    """What `train` needs of a run: a language model's, or a translation model's."""

    @property
    def training(self) -> Training:
        """Which training it is: `pre-training` or `tuning`."""

    @property
    def stage(self) -> Stage:
        """Batch, epochs and learning rate."""

    @property
    def model(self) -> torch.nn.Module:
        """Weights that are trained."""

    @property
    def optimizer(self) -> torch.optim.AdamW:
        """Optimiser whose moments are saved with the weights."""

    @property
    def device(self) -> torch.device:
        """Device that updates run on."""

    @property
    def steps(self) -> int:
        """Updates in all."""
        ...

    @property
    def tokens(self) -> float:
        """Of an update."""
        ...

    def take(self, step: int) -> Tensor:
        """Return one update, the first is 1; the loss before it, still on the device. A function of weights, seed and step."""
        ...


def train(
    run: Trainable,
    folder: RunFolder,
    save_every: float,
    progress: Callable[[TrainingProgress], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> int:
    """Take the steps that are left; return the last step taken, with its state saved.

    The log gets a line a step. Raises `ModelError` where the loss is no longer a number, `StoreError` where the folder cannot
    be written.
    """
    first = folder.load(run.model, run.optimizer)
    saved = read = time.monotonic()
    unread: list[Tensor] = []
    for step in range(first + 1, run.steps + 1):
        unread.append(deterministically(partial(run.take, step)))
        stopping = should_stop is not None and should_stop()
        saving = stopping or step == run.steps or time.monotonic() - saved >= save_every
        if saving or len(unread) >= UNREAD.get(run.device.type, 1):
            loss = _note_losses(run, folder, step, unread)
            if progress is not None:
                speed = len(unread) * run.tokens / (time.monotonic() - read)
                progress(TrainingProgress(step, run.steps, run.training, loss, speed))
            unread.clear()
            read = time.monotonic()
        if saving:
            folder.save(run.model, run.optimizer, step)
            saved = time.monotonic()
        if stopping:
            return step
    return run.steps


def _note_losses(run: Trainable, folder: RunFolder, step: int, unread: list[Tensor]) -> float:
    """Log the losses of the steps up to `step`; return the last."""
    losses: list[float] = torch.stack(unread).tolist()
    lines = []
    for at, loss in enumerate(losses, step + 1 - len(losses)):
        if not math.isfinite(loss):
            raise ModelError(f"The loss is no longer a number at step {at}. Choose a lower learning rate.")
        rate = run.stage.learning_rate_at(at, run.steps)
        lines.append({"step": at, "loss": round(loss, 5), "learning_rate": float(f"{rate:.6g}")})
    folder.note(*lines)
    return losses[-1]
