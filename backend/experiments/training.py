"""What all shards that train share: where an unfinished training lies, and that it is trained once for all that need it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from isogloss.backend.files import named

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from isogloss.backend.experiments.spec import Context

FOLDER = "training"
"""Where unfinished trainings lie in the workspace."""


WAITING = "waiting for another worker"
"""How what is reported begins while another worker trains what this one needs."""


def folder_of(key: str, context: Context) -> Path:
    """Return the folder of an unfinished training."""
    return context.workspace / FOLDER / named(key)


def train_once(
    key: str, done: Callable[[], bool], train: Callable[[], None], context: Context, *, what: str = "training"
) -> None:
    """Train until it is done, here or by another worker, and remove the folder of the training.

    Another worker was given the same by another request, or needs the same base model: its result serves both. Raises
    `Cancelled` where it was asked to stop while it waits for that worker, and what `train` raises.
    """
    from isogloss.backend.training.resumable.lock import BusyError, remove

    while not done():
        try:
            train()
        except BusyError:
            context.step(f"{WAITING} with the same {what}", 0.0)
            time.sleep(1.0)
    remove(folder_of(key, context))
