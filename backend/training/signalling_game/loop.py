"""Grow a language in a signalling game (Lewis 1969; with neural agents Lazaridou et al. 2017, Havrylov & Titov 2017)."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from isogloss.backend.errors import StoreError
from isogloss.backend.models.device import choose_device
from isogloss.backend.models.encoding.batch_loop import StoppedError
from isogloss.backend.training.resumable.folder import RECORDS, STATE, RunFolder, claim
from isogloss.backend.training.resumable.progress import Progress
from isogloss.backend.training.resumable.reproducible import deterministically, fitting, reproducible, threads
from isogloss.backend.training.resumable.state import load_state
from isogloss.backend.training.signalling_game.messages import speak
from isogloss.backend.training.signalling_game.objects import spoken_objects
from isogloss.backend.training.signalling_game.records import GameRecord, read_records, to_line
from isogloss.backend.training.signalling_game.run import begin, record, train_step

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from isogloss.backend.training.signalling_game.messages import Messages
    from isogloss.backend.training.signalling_game.options import GameOptions
    from isogloss.backend.training.signalling_game.run import Run


Reason = Literal["epochs", "enough"]


@dataclass(frozen=True)
class GameProgress(Progress):
    """Where a game is, told also while the corpus is spoken; it may stop before its last step, once its success is `enough`."""

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
    reason: Reason | None
    """Why it ended; None where it has not."""
    records: tuple[GameRecord, ...]
    """By step, the untrained agents first."""
    messages: Messages | None
    """Those of `objects.spoken_objects`, by their order; None where the game is not over."""


def play(
    options: GameOptions,
    folder: Path,
    *,
    device: str = "auto",
    progress: Callable[[GameProgress], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    save_every: float = 60.0,
) -> GameResult:
    """Train both agents, or resume a game, and let the sender speak.

    On one device records and messages depend on the options alone. A finished game speaks again from its kept agents. Arguments
    of all trainings and what they raise: `docs/definitions.md`, "Trainings".

    `progress` is called after every step, and between batches of objects spoken of; `should_stop` is asked at the same points.
    """
    place = choose_device(device)
    provenance = {"signalling_game": options.model_dump(mode="json")}
    with claim(folder, provenance, what="run", log=RECORDS) as claimed:
        what = f"A game with batches of {options.batch} and messages of {options.length} symbols"
        with (
            reproducible(place),
            # The agents' products are so small that several threads mostly wait for one another: no faster on an idle machine,
            # and 20 to 70 times as slow where other processes are busy (measured). So their number changes no result either.
            threads(1 if place.type == "cpu" else None),
            fitting(what, place, smaller="a smaller hidden size"),
        ):
            game = _Game(begin(options, place), claimed, save_every, progress, should_stop)
            step = _train(game) if claimed.result() is None else 0
            messages = deterministically(partial(_speak, game)) if claimed.result() is not None else None
        over = claimed.result()
        records = tuple(read_records(claimed.log))
        if over is None or messages is None:
            return GameResult(False, step if over is None else int(over["step"]), None, records, None)
        return GameResult(True, int(over["step"]), over["reason"], records, messages)


@dataclass(frozen=True)
class _Game:
    """A game, its folder and who follows it."""

    run: Run
    folder: RunFolder
    save_every: float
    progress: Callable[[GameProgress], None] | None
    should_stop: Callable[[], bool] | None

    def save(self, step: int) -> None:
        self.folder.save(self.run.agents, self.run.optimizer, step)

    def report(self, step: int, last: GameRecord, spoken: int = 0) -> None:
        if self.progress is not None:
            self.progress(GameProgress(step, self.run.options.steps, last, spoken))

    def stopping(self) -> bool:
        return self.should_stop is not None and self.should_stop()


def _train(game: _Game) -> int:
    """Take the steps that are left; return the last step taken. Of a game that is over the state is kept: it speaks."""
    run, options = game.run, game.run.options
    first, saved = game.folder.load(run.agents, run.optimizer), time.monotonic()
    records = read_records(game.folder.log)
    apart = options.record_every * options.steps_an_epoch
    for step in range(first, options.steps + 1):
        if step > first:
            deterministically(partial(train_step, run, step))
        if (step % apart == 0 or step == options.steps) and (not records or step > records[-1].step):
            records.append(deterministically(partial(record, run, step)))
            game.folder.note(to_line(records[-1]))
        if step > first:
            game.report(step, records[-1])
        enough = options.enough is not None and records[-1].step == step and records[-1].success >= options.enough
        if step == options.steps or enough:
            game.save(step)
            reason: Reason = "enough" if enough else "epochs"
            game.folder.finish({"step": step, "reason": reason})
            return step
        stopping = game.stopping()
        if step > first and (stopping or time.monotonic() - saved >= game.save_every):
            game.save(step)
            saved = time.monotonic()
        if stopping:
            return step
    return options.steps


def _speak(game: _Game) -> Messages | None:
    """The messages of the corpus; None where the game was asked to stop meanwhile. Raises `StoreError` for damaged agents."""
    run, folder = game.run, game.folder
    last = read_records(folder.log)[-1]
    if load_state(folder.path / STATE, run.agents, run.optimizer, run=folder.identity) == 0:
        raise StoreError(f"The agents saved in {folder.path.name} are damaged. Remove the folder and play the game again.")

    def between(spoken: int) -> None:
        game.report(last.step, last, spoken)
        if game.stopping():
            raise StoppedError("Stopped while the corpus is spoken. Start it again to go on.")

    try:
        return speak(run.agents, spoken_objects(run.options), run.options, run.device, between)
    except StoppedError:
        return None
