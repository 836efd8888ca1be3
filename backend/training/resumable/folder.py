"""The folder of a run: whose it is, how far it came, what it recorded. It can be killed at any moment.

`run.json` says what the run is; `records.jsonl` has a line for every record point; `state.safetensors` holds weights and the
optimiser's moments of some step, whole or not at all; `finished.json` is there once all is done, and then the state is gone.
A record is a function of the weights, and all randomness of a step one of the seed and the step: so lines beyond the state's
step are dropped and come again as they were, and one that the state's step still lacks is made first.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from backend.errors import SpecError
from backend.files import TEMPORARY, digest, publish_json
from backend.training.finetune.records import Record, read_records, to_line
from backend.training.resumable import log
from backend.training.resumable.state import load_state, save_state

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import torch
    from numpy.typing import NDArray

STATE, LOG, RUN, FINISHED = "state.safetensors", "records.jsonl", "run.json", "finished.json"

Reason = Literal["epochs", "no errors left"]


def claim(folder: Path, about: dict[str, Any], *, what: str = "fine-tuning run") -> str:
    """Say in `folder` what its run is, or compare with what is there; remove what a kill left half written.

    Returns the digest that the state is kept under. Raises `SpecError`, naming `what`, where the folder is another's.
    """
    path = folder / RUN
    asked = json.loads(json.dumps(about))
    if not path.exists():
        publish_json(path, asked)
    else:
        there = json.loads(path.read_text(encoding="utf-8"))
        if differing := [key for key in asked if there.get(key) != asked[key]]:
            raise SpecError(
                f"The folder {folder.name} holds a {what} with other {' and '.join(differing)}. "
                "Choose another folder, or remove it first."
            )
    for left in folder.glob(f"{TEMPORARY}*"):
        with suppress(OSError):
            shutil.rmtree(left) if left.is_dir() else left.unlink()
    return digest(asked)


def content_digest(arrays: Iterable[NDArray[Any]]) -> str:
    """24 hexadecimal digits for the content of arrays, in their order."""
    content = hashlib.blake2b(digest_size=12)
    for array in arrays:
        content.update(f"{array.dtype.str}{array.shape}".encode() + array.tobytes())
    return content.hexdigest()


def take_up(folder: Path, model: torch.nn.Module, optimizer: torch.optim.AdamW, identity: str) -> tuple[int, list[Record]]:
    """Put the last state into `model` and `optimizer`: its step (0 at the start) and the records up to it."""
    step = load_state(folder / STATE, model, optimizer, run=identity)
    log.rewind(folder / LOG, step)
    return step, read_records(folder / LOG)


def put_down(folder: Path, model: torch.nn.Module, optimizer: torch.optim.AdamW, *, step: int, identity: str) -> None:
    """Save the state after `step`. What was recorded so far reaches the disk before it."""
    if (folder / LOG).exists():
        with open(folder / LOG, "rb") as file:
            os.fsync(file.fileno())
    save_state(folder / STATE, model, optimizer, step=step, run=identity)


def note(folder: Path, records: list[Record]) -> None:
    """Append the records of one step."""
    log.append(folder / LOG, to_line(records))


def finish(folder: Path, *, step: int, reason: Reason) -> None:
    """Say that the run is done, and let its state go."""
    publish_json(folder / FINISHED, {"step": step, "reason": reason})
    (folder / STATE).unlink(missing_ok=True)


def finished(folder: Path) -> dict[str, Any] | None:
    """What `finish` said; None where the run is not done."""
    path = folder / FINISHED
    found: dict[str, Any] | None = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
    return found
