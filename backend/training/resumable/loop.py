"""Training that can be stopped or killed at any moment and goes on to the same result."""

from __future__ import annotations

import json
import math
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

import torch

from backend.errors import ModelError
from backend.training.resumable import log
from backend.training.resumable.state import load_state, save_state

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from torch import Tensor

    from backend.training.language_model.options import Stage
    from backend.training.language_model.run import Training

STATE, LOG, RUN, FINISHED, MODEL = "state.safetensors", "log.jsonl", "run.json", "finished.json", "model"

UNREAD = {"cuda": 32}
"""Steps whose losses wait on the device before they are read: reading one makes the host wait for it."""


@dataclass(frozen=True)
class LanguageModelProgress:
    """Where a run is."""

    doing: Literal["pre-training", "tuning", "evaluation"]
    step: int
    steps: int
    loss: float
    """Of the last step, before its update, in nats."""
    tokens_per_second: float
    """Since the last report; those of windows or pairs, predicted or not."""


class Trainable(Protocol):
    """What `train` needs of a run: a language model's, or a translation model's."""

    @property
    def training(self) -> Training: ...
    @property
    def stage(self) -> Stage: ...
    @property
    def model(self) -> torch.nn.Module: ...
    @property
    def optimizer(self) -> torch.optim.AdamW: ...
    @property
    def device(self) -> torch.device: ...
    @property
    def steps(self) -> int:
        """Updates in all."""
        ...

    @property
    def tokens(self) -> float:
        """Of an update."""
        ...

    def take(self, step: int) -> Tensor:
        """One update, the first is 1; the loss before it, still on the device. A function of weights, seed and step."""
        ...


@dataclass
class Kept:
    """A run and where it is kept."""

    run: Trainable
    folder: Path
    identity: str
    """The state of a run with another identity is never taken up."""
    save_every: float
    """Seconds."""

    def save(self, step: int) -> None:
        """Save the state after `step`. What was logged so far reaches the disk before it."""
        with open(self.folder / LOG, "a", encoding="utf-8") as file:
            os.fsync(file.fileno())
        save_state(self.folder / STATE, self.run.model, self.run.optimizer, step=step, run=self.identity)


def train(
    kept: Kept,
    progress: Callable[[LanguageModelProgress], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> int:
    """Take the steps that are left; return the last step taken, with its state saved.

    The log gets a line a step. Raises `ModelError` where the loss is no longer a number, `StoreError` where the folder cannot
    be written.
    """
    run = kept.run
    first = load_state(kept.folder / STATE, run.model, run.optimizer, run=kept.identity)
    log.rewind(kept.folder / LOG, first)
    saved = read = time.monotonic()
    unread: list[Tensor] = []
    for step in range(first + 1, run.steps + 1):
        unread.append(run.take(step))
        stopping = should_stop is not None and should_stop()
        saving = stopping or step == run.steps or time.monotonic() - saved >= kept.save_every
        if saving or len(unread) >= UNREAD.get(run.device.type, 1):
            _report(kept, step, unread, time.monotonic() - read, progress)
            unread.clear()
            read = time.monotonic()
        if saving:
            kept.save(step)
            saved = time.monotonic()
        if stopping:
            return step
    return run.steps


def _report(
    kept: Kept, step: int, unread: list[Tensor], seconds: float, progress: Callable[[LanguageModelProgress], None] | None
) -> None:
    """Log the losses of the steps up to `step`, which took so many `seconds`, and tell how far it is."""
    run = kept.run
    losses: list[float] = torch.stack(unread).tolist()
    lines = []
    for at, loss in enumerate(losses, step + 1 - len(losses)):
        if not math.isfinite(loss):
            raise ModelError(f"The loss is no longer a number at step {at}. Choose a lower learning rate.")
        rate = run.stage.learning_rate_at(at, run.steps)
        lines.append(json.dumps({"step": at, "loss": round(loss, 5), "learning_rate": float(f"{rate:.6g}")}) + "\n")
    with open(kept.folder / LOG, "a", encoding="utf-8") as file:
        file.writelines(lines)
    if progress is not None:
        tokens = len(losses) * run.tokens
        progress(LanguageModelProgress(run.training, step, run.steps, losses[-1], tokens / seconds))


def curve(folder: Path, points: int = 200) -> list[tuple[int, float]]:
    """The training curve of a run's folder: at most `points` pairs of a step and the mean loss of the steps up to it, from the
    pair before. Empty where nothing is logged yet."""
    path = folder / LOG
    if not path.exists():
        return []
    losses = []
    for line in path.read_text(encoding="utf-8").split("\n")[:-1]:  # a line being written has no end yet
        losses.append(float(json.loads(line)["loss"]))
    each = max(1, math.ceil(len(losses) / points))
    groups = [losses[at : at + each] for at in range(0, len(losses), each)]
    return [(min((k + 1) * each, len(losses)), sum(group) / len(group)) for k, group in enumerate(groups)]
