"""A training from its first step to what comes of it, in a folder: begun, or gone on with after a stop or a kill."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from backend.files import publish_json
from backend.models.encoding.batch_loop import StoppedError
from backend.training.language_model.memory import fitting
from backend.training.resumable.folder import claim
from backend.training.resumable.lock import alone
from backend.training.resumable.loop import FINISHED, STATE, Kept, LanguageModelProgress, Trainable, train
from backend.training.resumable.reproducible import reproducible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import torch

    from backend.training.language_model.options import Stage

RunT = TypeVar("RunT", bound=Trainable)


@dataclass(frozen=True)
class Watch:
    """How a caller follows a training and ends it."""

    progress: Callable[[LanguageModelProgress], None] | None
    """Called after every step on a CPU, every few on a GPU."""
    should_stop: Callable[[], bool] | None
    """Asked after every step; once it says true, the state is kept and the training ends."""
    save_every: float
    """Seconds between two savings of the state, about the most that a kill can lose."""


@dataclass(frozen=True)
class Outcome:
    """Where a training ended."""

    step: int
    found: dict[str, Any] | None
    """What `finish` gave; None where it was asked to stop, before the last step or while it finished."""


def run_whole(
    folder: Path,
    about: Mapping[str, Any],
    what: str,
    stage: Stage,
    device: torch.device,
    begin: Callable[[], RunT],
    finish: Callable[[RunT], dict[str, Any]],
    watch: Watch,
) -> Outcome:
    """Train what `begin` makes, and `finish` it once; where both are done, only what was found is read.

    Args:
        folder: Made if needed; it gets `run.json`, `log.jsonl` and, at the end, `finished.json`.
        about: All that the result depends on; a folder of a run that differs in it is refused.
        what: The kind of run, for that refusal.
        stage: Its batch is named where memory is too small.
        device: What it trains on.
        begin: Makes the run, at its first step.
        finish: Gets the trained run; what it returns is kept, as JSON. It may raise `StoppedError`.
        watch: Who follows.

    Raises:
        SpecError: The folder belongs to another run, or another process is training in it.
        ModelError: Training diverged, or the model does not fit in memory; what `begin` raises.
        StoreError: The folder cannot be written.
    """
    with alone(folder):
        identity = claim(folder, dict(about), what=what)
        if not (folder / FINISHED).exists():
            with reproducible(device), fitting(stage.batch, device):
                run = begin()
                step = train(Kept(run, folder, identity, watch.save_every), watch.progress, watch.should_stop)
                if step < run.steps:
                    return Outcome(step, None)
                try:
                    found = finish(run)
                except StoppedError:  # the state of the last step is there
                    return Outcome(step, None)
                publish_json(folder / FINISHED, {"step": step, **found})
        (folder / STATE).unlink(missing_ok=True)
        found = json.loads((folder / FINISHED).read_text(encoding="utf-8"))
        return Outcome(found["step"], found)
