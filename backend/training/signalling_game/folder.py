"""The folder of a game: whose it is, how far it came, what it recorded. It can be killed at any moment.

`run.json` says what the game is; `records.jsonl` has a line for every record point; `state.safetensors` holds weights and the
optimiser's moments of some step, whole or not at all; `finished.json` is there once all is done, and the state is then that of
the last step, from which messages are spoken. A record is a function of the weights, and all that is random in a step one of
the seed and the step: lines beyond the state's step are dropped and come again as they were.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from backend.errors import SpecError, StoreError
from backend.files import TEMPORARY, digest, publish_json
from backend.training.resumable import log
from backend.training.resumable.state import load_state, save_state
from backend.training.signalling_game.records import GameRecord, read_records, to_line

if TYPE_CHECKING:
    from pathlib import Path

    from backend.training.signalling_game.options import GameOptions
    from backend.training.signalling_game.run import Run

STATE, LOG, RUN, FINISHED = "state.safetensors", "records.jsonl", "run.json", "finished.json"

Reason = Literal["epochs", "enough"]


def claim(folder: Path, options: GameOptions) -> str:
    """Say in `folder` what its game is, or compare with what is there; remove what a kill left half written.

    Returns the digest that the state is kept under. Raises `SpecError` where the folder is another game's.
    """
    path, asked = folder / RUN, {"signalling_game": options.model_dump(mode="json")}
    if not path.exists():
        publish_json(path, asked)
    elif json.loads(path.read_text(encoding="utf-8")) != asked:
        raise SpecError(f"The folder {folder.name} is not of this game. Choose another folder, or remove it first.")
    for left in folder.glob(f"{TEMPORARY}*"):
        with suppress(OSError):
            left.unlink()
    return digest(asked)


def take_up(folder: Path, run: Run, identity: str) -> tuple[int, list[GameRecord]]:
    """Put the last state into `run`: its step (0 at the start) and the records up to it."""
    step = load_state(folder / STATE, run.agents, run.optimizer, run=identity)
    log.rewind(folder / LOG, step)
    return step, read_records(folder / LOG)


def put_down(folder: Path, run: Run, *, step: int, identity: str) -> None:
    """Save the state after `step`. What was recorded so far reaches the disk before it."""
    if (folder / LOG).exists():
        with open(folder / LOG, "rb") as file:
            os.fsync(file.fileno())
    save_state(folder / STATE, run.agents, run.optimizer, step=step, run=identity)


def note(folder: Path, record: GameRecord) -> None:
    """Append a record."""
    log.append(folder / LOG, to_line(record))


def finish(folder: Path, run: Run, *, step: int, reason: Reason, identity: str) -> None:
    """Keep the last state, and say that the game is over."""
    put_down(folder, run, step=step, identity=identity)
    publish_json(folder / FINISHED, {"step": step, "reason": reason})


def finished(folder: Path) -> dict[str, Any] | None:
    """What `finish` said; None where the game is not over."""
    path = folder / FINISHED
    found: dict[str, Any] | None = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
    return found


def last_agents(folder: Path, run: Run, identity: str) -> None:
    """Put the weights of a game that is over into `run`. Raises `StoreError` where they are damaged."""
    if load_state(folder / STATE, run.agents, run.optimizer, run=identity) == 0:
        raise StoreError(f"The agents kept in {folder.name} are damaged. Remove the folder and play the game again.")
