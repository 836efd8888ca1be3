"""Grow a language in a signalling game (Lewis 1969; with neural agents Lazaridou et al. 2017, Havrylov & Titov 2017)."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from backend.errors import ModelError
from backend.models.device import choose_device
from backend.training.resumable.lock import alone
from backend.training.resumable.reproducible import reproducible
from backend.training.signalling_game import folder as kept
from backend.training.signalling_game.messages import speak
from backend.training.signalling_game.objects import spoken_objects
from backend.training.signalling_game.records import GameRecord, read_records
from backend.training.signalling_game.run import begin, record, train_step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from backend.training.signalling_game.messages import Messages
    from backend.training.signalling_game.options import GameOptions
    from backend.training.signalling_game.run import Run


@dataclass(frozen=True)
class GameProgress:
    """Where a game is: told after every step, and while the corpus is spoken."""

    step: int
    steps: int
    """At most: a game may stop before, once its success is `enough`."""
    record: GameRecord
    """The last one."""
    spoken: int = 0
    """Objects whose messages are there, of `GameOptions.spoken`."""


@dataclass(frozen=True, eq=False)
class GameResult:
    """What a game left."""

    finished: bool
    """False where it was asked to stop; the same call goes on."""
    step: int
    reason: kept.Reason | None
    """Why it ended; None where it has not."""
    records: tuple[GameRecord, ...]
    """By step, the untrained agents first."""
    messages: Messages | None
    """Those of `objects.spoken_objects`, by their order; None where the game is not over."""


class _StopError(Exception):
    """Asked to stop while the corpus is spoken."""


def play(
    options: GameOptions,
    folder: Path,
    *,
    device: str = "auto",
    progress: Callable[[GameProgress], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    save_every: float = 60.0,
) -> GameResult:
    """Train both agents, or go on with a game that was stopped or killed, and let the sender speak.

    On one device records and messages depend on the options alone, however
    often the game was interrupted. A game that is over speaks again from its kept agents.

    Args:
        options: The game.
        folder: Made if needed. It keeps the game between interruptions; one that holds another is refused.
        device: `auto`, `cpu`, `cuda`, `cuda:1`.
        progress: Called after every step, and between batches of objects spoken of.
        should_stop: Asked at the same points.
        save_every: Seconds between two savings of the state, about the most that a kill can lose.

    Raises:
        ModelError: Training diverged, the game does not fit in memory, or there is no such device.
        SpecError: The folder belongs to another game, or another process is playing in it.
        StoreError: The folder cannot be written, or its agents are damaged.
    """
    place = choose_device(device)
    with alone(folder):
        identity = kept.claim(folder, options)
        with reproducible(place), _one_thread(place):
            try:
                game = _Kept(begin(options, place), folder, identity, save_every, progress, should_stop)
                step = _train(game) if kept.finished(folder) is None else 0
                messages = _speak(game) if kept.finished(folder) is not None else None
            except torch.OutOfMemoryError as error:
                raise ModelError(
                    f"A game with batches of {options.batch} and messages of {options.length} symbols does not fit into the "
                    f"memory of {place}. Choose smaller batches, a smaller hidden size or another device."
                ) from error
        over = kept.finished(folder)
        records = tuple(read_records(folder / kept.LOG))
        if over is None or messages is None:
            return GameResult(False, step if over is None else int(over["step"]), None, records, None)
        return GameResult(True, int(over["step"]), over["reason"], records, messages)


@contextmanager
def _one_thread(device: torch.device) -> Iterator[None]:
    """While it lasts, torch computes in one thread of the CPU.

    The agents' products are so small that several threads mostly wait for one another: no faster on an idle machine, and 20 to
    70 times as slow where other processes are busy (measured). So the result does not depend on the number of threads either.
    """
    before = torch.get_num_threads()
    if device.type == "cpu":
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@dataclass
class _Kept:
    """A game, where it is kept, and who is told."""

    run: Run
    folder: Path
    identity: str
    save_every: float
    progress: Callable[[GameProgress], None] | None
    should_stop: Callable[[], bool] | None
    saved: float = 0.0

    def save(self, step: int) -> None:
        kept.put_down(self.folder, self.run, step=step, identity=self.identity)
        self.saved = time.monotonic()

    def tell(self, step: int, last: GameRecord, spoken: int = 0) -> None:
        if self.progress is not None:
            self.progress(GameProgress(step, self.run.options.steps, last, spoken))

    def stopping(self) -> bool:
        return self.should_stop is not None and self.should_stop()


def _train(game: _Kept) -> int:
    """Take the steps that are left; return the last step taken."""
    run, options, game.saved = game.run, game.run.options, time.monotonic()
    first, records = kept.take_up(game.folder, run, game.identity)
    apart = options.record_every * options.steps_an_epoch
    for step in range(first, options.steps + 1):
        if step > first:
            train_step(run, step)
        if (step % apart == 0 or step == options.steps) and (not records or step > records[-1].step):
            records.append(record(run, step))
            kept.note(game.folder, records[-1])
        if step > first:
            game.tell(step, records[-1])
        enough = options.enough is not None and records[-1].step == step and records[-1].success >= options.enough
        if step == options.steps or enough:
            kept.finish(game.folder, run, step=step, reason="enough" if enough else "epochs", identity=game.identity)
            return step
        stopping = game.stopping()
        if step > first and (stopping or time.monotonic() - game.saved >= game.save_every):
            game.save(step)
        if stopping:
            return step
    return options.steps


def _speak(game: _Kept) -> Messages | None:
    """The messages of the corpus; None where the game was asked to stop meanwhile."""
    last = read_records(game.folder / kept.LOG)[-1]
    kept.last_agents(game.folder, game.run, game.identity)

    def between(spoken: int) -> None:
        game.tell(last.step, last, spoken)
        if game.stopping():
            raise _StopError

    try:
        return speak(game.run.agents, spoken_objects(game.run.options), game.run.options, game.run.device, between)
    except _StopError:
        return None
