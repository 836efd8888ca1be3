"""A training that is measured as it goes: by the workers of a watch, or in its own process within a share of its time."""

from __future__ import annotations

import logging
import math
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from isogloss.backend.errors import SpecError
from isogloss.backend.jobs import starter
from isogloss.backend.jobs.watch import announce, record
from isogloss.backend.public.measure import measure, pattern
from isogloss.backend.public.place import at
from isogloss.backend.public.running import TimeUpError
from isogloss.backend.public.saved import scores

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike

    import pandas as pd

log = logging.getLogger("isogloss")
PREFIX = "isogloss/"
SLACK = 2.0
"""A measurement that takes so many times what the one before took is stopped; one that was stopped takes so many times that."""


@dataclass(frozen=True)
class Asked:
    """What is measured of a training."""

    what: str
    name: str
    """Of the model that its checkpoints are kept as."""
    corpus: str | Mapping[str, Sequence[str | None]] | None = None
    languages: str | Sequence[str] | None = None
    layers: Sequence[int] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    workspace: str | PathLike[str] | None = None
    every: int = 0
    """Steps; 0 for each checkpoint that is saved."""

    def is_due(self, step: int) -> bool:
        """Return whether a step is one of those that are measured."""
        return not self.every or step % self.every == 0


class Follower(Protocol):
    """How a training is measured: told of its checkpoints and steps, it gives back numbers for the training's own log."""

    asked: Asked
    spent: float
    """Seconds of the training that went into it."""

    def begin(self) -> None:
        """Do what is done once."""

    def saved(self, folder: Path) -> None:
        """Take a checkpoint that is written whole."""

    def numbers(self, model: Any, tokenizer: Any, step: int, /) -> dict[str, float]:
        """Return numbers that are new."""


def scalars(frame: pd.DataFrame, layers: Sequence[int] | None = None) -> dict[str, float]:
    """Return the mean of each measure at each layer, over languages, pairs and seeds: `isogloss/abx_meaning/layer_4` → value.

    Args:
        frame: Scores as `measure` and `scores` return them. Rows without a value are left out.
        layers: Those asked for; None for all.
    """
    kept = frame.dropna(subset=["value", "layer"])
    if layers is not None:
        kept = kept[kept["layer"].isin(list(layers))]
    means = kept.groupby(["metric", "layer"], as_index=False)["value"].mean()
    return {f"{PREFIX}{metric}/layer_{layer}": float(value) for metric, layer, value in means.itertuples(index=False)}


@dataclass
class Queued:
    """Says of each checkpoint that it is written, and gives back the scores that workers have computed since.

    It loads nothing and computes nothing: it writes a line for a watch of the folder, and looks whether the watch's file of
    what it has seen is another than before.
    """

    asked: Asked
    folder: Path
    spent: float = 0.0
    watch: str = ""
    _logged: set[str] = field(default_factory=set)
    _seen: tuple[int, int] = (0, 0)
    _workspace: Path = Path()

    def begin(self) -> None:
        """Begin the watch of the folder, and see to it that a worker is alive.

        Raises `SpecError` or `CorpusError` for what cannot be measured, `StoreError` where the workspace cannot be written.
        """
        asked = self.asked
        with at(asked.workspace) as settings:
            spec = pattern(asked.what, asked.name, asked.corpus, asked.languages, asked.options, settings)
            place = str(self.folder.expanduser().resolve())
            watch = record.Watch(
                source="folder", location=place, model=asked.name, spec=spec, every=asked.every, created_at=time.time()
            )
            self.watch, self._workspace = record.add(watch, settings.workspace), settings.workspace
            starter.ensure_worker(settings)

    def saved(self, folder: Path) -> None:
        """Say that the checkpoint in `folder` is written whole. Raises `StoreError` or `OSError` where it cannot be said."""
        announce.announce(self._workspace, folder)

    def numbers(self, _model: Any, _tokenizer: Any, _step: int, /) -> dict[str, float]:
        """Return the means of the newest checkpoint that got its scores since the last call, and its step."""
        path = record.folder(self._workspace, self.watch) / record.STATE
        try:
            now = (path.stat().st_mtime_ns, path.stat().st_size)
        except OSError:
            return {}
        if now == self._seen:
            return {}
        self._seen = now
        state = record.state(self._workspace, self.watch)
        fresh = [each for each in state.scored if each.fingerprint not in self._logged]
        self._logged |= {each.fingerprint for each in fresh}
        if not fresh:
            return {}
        newest = max(fresh, key=lambda each: each.step or 0)
        frame = scores(model=state.model, checkpoint=newest.label, workspace=self._workspace)
        return scalars(frame, self.asked.layers) | {f"{PREFIX}checkpoint_step": float(newest.step or 0)}


@dataclass
class InProcess:
    """Measures the model object between two steps of its training, where the budget has room. It needs no queue."""

    asked: Asked
    max_share: float
    clock: Callable[[], float] = time.monotonic
    spent: float = 0.0
    skipped: int = 0
    """How often the budget had no room, or a measurement was stopped."""
    _began: float = 0.0
    _cost: float = 0.0

    def begin(self) -> None:
        """Begin to count the time of the training. Raises `SpecError` for a share that is none, or what cannot be measured."""
        if not 0 < self.max_share <= 1:
            raise SpecError(f"max_share={self.max_share!r} is no share of the training's time. Choose from above 0 to 1.")
        asked = self.asked
        with at(asked.workspace) as settings:
            pattern(asked.what, asked.name, asked.corpus, asked.languages, asked.options, settings)
        self._began = self.clock()

    def saved(self, folder: Path) -> None:
        """Do nothing: the weights are measured in memory."""

    @property
    def share(self) -> float:
        """Measuring's part of the time since the training began."""
        elapsed = self.clock() - self._began
        return self.spent / elapsed if elapsed > 0 else 0.0

    def room(self) -> float:
        """Return how many seconds a measurement may take now, which are the training's too, for the share to hold."""
        if self.max_share == 1:
            return math.inf
        return max(0.0, self.max_share * (self.clock() - self._began) - self.spent) / (1 - self.max_share)

    def numbers(self, model: Any, tokenizer: Any, step: int, /) -> dict[str, float]:
        """Return the means of the model as it is now, and keep its scores; nothing where the budget has no room.

        What a measurement takes is not known before the first: one that the room is too small for is stopped, and tried again
        with more. Raises as `measure` does, but for time that is over.
        """
        room = self.room()
        if room <= 0 or room < self._cost:
            self.skipped += 1
            return {}
        most, times = min(room, SLACK * self._cost or room), 1.0
        asked, began = self.asked, self.clock()
        try:
            frame = measure(
                asked.what,
                model=model,
                tokenizer=tokenizer,
                corpus=asked.corpus,
                languages=asked.languages,
                name=asked.name,
                step=step,
                workspace=asked.workspace,
                progress=False,
                seconds=None if math.isinf(most) else most,
                **asked.options,
            )
        except TimeUpError:
            if not self._cost:
                words = "max_share=%g left %.1f s by step %d, less than a measurement takes: it is tried again with more."
                log.warning(words, self.max_share, most, step)
            self.skipped += 1
            times = SLACK
            return {}
        finally:
            took = self.clock() - began
            self.spent += took
            self._cost = max(self._cost, times * took)
        return scalars(frame, asked.layers)
