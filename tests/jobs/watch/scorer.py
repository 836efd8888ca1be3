"""In place of the queue and its workers: what a look would have scored, by its bytes."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from isogloss.backend.errors import ModelError
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.jobs.watch import template
from isogloss.backend.jobs.watch.record import Watch
from isogloss.backend.models.loading import load as loading
from tests.jobs.watch.trainings import identity

if TYPE_CHECKING:
    from isogloss.backend.models.entry import Checkpoint
    from isogloss.backend.settings import Settings


class Scorer:
    """A queue that scores by looking: which bytes lie where a run was sent, when its turn comes, under which fingerprint."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.runs: dict[str, tuple[Checkpoint, float]] = {}
        self.scored: list[tuple[str, str]] = []
        self.lock = threading.Lock()

    def submit(self, spec: AbxSpec, _settings: Settings, *, by: str | None = None) -> str:
        with self.lock:
            assert by == ""
            run = f"run-{spec.id}-{len(self.runs)}"
            self.runs[run] = (spec.checkpoints[0], time.monotonic())
            return run

    def job(self, run: str, _settings: Settings) -> Any:
        with self.lock:
            checkpoint, at = self.runs[run]
        if time.monotonic() - at < 0.005:
            return SimpleNamespace(state="running", failures=())
        return self._score(checkpoint)

    def _score(self, checkpoint: Checkpoint) -> Any:
        try:
            loading.local_files(checkpoint, self.settings)  # what a worker asks before it scores, and after it
            read = identity(Path(checkpoint.location))
            loading.local_files(checkpoint, self.settings)
        except (ModelError, OSError) as error:
            return SimpleNamespace(state="failed", failures=((checkpoint.label, str(error)),))
        self.scored.append((checkpoint.fingerprint, read))
        return SimpleNamespace(state="done", failures=())


def watch_of(folder: Path, **more: Any) -> Watch:
    spec = AbxSpec(model="m", checkpoints=(template.TO_COME,), corpus="0" * 24, languages=("de", "en"))
    return Watch(source="folder", location=str(folder), model="training", spec=template.of(spec), **more)
