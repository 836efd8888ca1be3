"""The folder of a run: whose it is, how far it came, what it logged. It can be killed at any moment.

`run.json` says what the run is; the log has a line for every step, or every record point; `state.safetensors` holds weights and
the optimiser's moments of some step, whole or not at all; `finished.json` is there once all is done. What is logged is a
function of the weights, and all randomness of a step one of the seed and the step: so lines beyond the state's step are dropped
and come again as they were.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from isogloss.backend.errors import SpecError
from isogloss.backend.files import TEMPORARY, digest, publish_json
from isogloss.backend.training.resumable import log
from isogloss.backend.training.resumable.lock import lock
from isogloss.backend.training.resumable.state import load_state, save_state

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    import torch
    from numpy.typing import NDArray

STATE, RUN, FINISHED = "state.safetensors", "run.json", "finished.json"
LOG, RECORDS = "log.jsonl", "records.jsonl"
"""The log of a training that notes every step, and of one that notes record points."""


@dataclass(frozen=True)
class RunFolder:
    """A folder that this process holds."""

    path: Path
    log: Path
    identity: str
    """The state of a run with another identity is never loaded."""

    def load(self, model: torch.nn.Module, optimizer: torch.optim.AdamW) -> int:
        """Put the last state into `model` and `optimizer`; return its step, 0 at the start. The log then ends there too."""
        step = load_state(self.path / STATE, model, optimizer, run=self.identity)
        log.rewind(self.log, step)
        return step

    def save(self, model: torch.nn.Module, optimizer: torch.optim.AdamW, step: int) -> None:
        """Save the state after `step`. What was logged so far reaches the disk before it."""
        if self.log.exists():
            with open(self.log, "rb") as file:
                os.fsync(file.fileno())
        save_state(self.path / STATE, model, optimizer, step=step, run=self.identity)

    def note(self, *lines: dict[str, Any]) -> None:
        """Append lines to the log."""
        log.append(self.log, *lines)

    def finish(self, found: Mapping[str, Any]) -> None:
        """Say that the run is done, and what came of it."""
        publish_json(self.path / FINISHED, dict(found))

    def result(self) -> dict[str, Any] | None:
        """Return what `finish` said; None where the run is not done."""
        path = self.path / FINISHED
        found: dict[str, Any] | None = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
        return found

    def remove_state(self) -> None:
        """Remove the state of a run that is done."""
        (self.path / STATE).unlink(missing_ok=True)


@contextmanager
def claim(
    path: Path, provenance: Mapping[str, Any], *, what: str, log: str = LOG, beside: Mapping[str, Any] | None = None
) -> Iterator[RunFolder]:
    """Hold the folder at `path`, made if needed, for one run; remove what a kill left half written.

    Args:
        path: Where.
        provenance: All that the result depends on; a folder whose `run.json` differs in it is refused.
        what: The kind of run, for that refusal.
        log: The name of its log.
        beside: What a new `run.json` says besides.

    Raises:
        SpecError: The folder belongs to another run, or another process holds it (`BusyError`).
        StoreError: The folder cannot be written.
    """
    with lock(path):
        asked: dict[str, Any] = json.loads(json.dumps(provenance))
        if not (path / RUN).exists():
            publish_json(path / RUN, asked | dict(beside or {}))
        elif differing := _differences(json.loads((path / RUN).read_text(encoding="utf-8")), asked):
            raise SpecError(
                f"The folder {path.name} holds a {what} with other {' and '.join(differing)}. "
                "Choose another folder, or remove it first."
            )
        for left in path.glob(f"{TEMPORARY}*"):
            with suppress(OSError):
                shutil.rmtree(left) if left.is_dir() else left.unlink()
        yield RunFolder(path, path / log, digest(asked))


def _differences(there: dict[str, Any], asked: dict[str, Any]) -> list[str]:
    """Return what of a run is not as asked, each with the fields of it that are not: `options (seed)`."""
    differences = []
    for key, value in asked.items():
        before: Any = there.get(key)
        if before == value:
            continue
        is_fields = isinstance(before, dict) and isinstance(value, dict)
        fields = [each for each in value if before.get(each) != value[each]] if is_fields else []
        differences.append(key.replace("_", " ") + (f" ({', '.join(fields)})" if fields else ""))
    return differences


def content_digest(arrays: Iterable[NDArray[Any]]) -> str:
    """24 hexadecimal digits for the content of arrays, in their order."""
    content = hashlib.blake2b(digest_size=12)
    for array in arrays:
        content.update(f"{array.dtype.str}{array.shape}".encode() + array.tobytes())
    return content.hexdigest()
