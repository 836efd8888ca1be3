"""How a training says that a checkpoint is written: a small file in the workspace, found by the next look of a watch. No torch.

A callback of a training calls `announce` and goes on at once: it loads nothing, computes nothing and needs no queue. A watch of
that folder then takes the checkpoint without waiting until nothing changes there; where nobody watches, nothing comes of it.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.backend.files import digest, parse_json, publish_json
from isogloss.backend.models.files import complete

if TYPE_CHECKING:
    from collections.abc import Iterable

FORGOTTEN_SECONDS = 7 * 24 * 3600.0
"""What nobody has taken up for so long is removed."""


def announce(workspace: Path, folder: Path) -> None:
    """Say that the checkpoint in `folder` is written whole: its weights, configuration and tokeniser will not change any more.

    It is said of these files alone: once they are replaced it counts for nothing. Raises `StoreError` where the workspace
    cannot be written, `OSError` where the folder is gone.
    """
    path = folder.resolve()
    said = {"folder": str(path), "mark": complete.mark(path), "at": time.time()}
    publish_json(_place(workspace) / f"{digest(str(path))}.json", said)


def announced(workspace: Path) -> dict[tuple[str, str], Path]:
    """Return the folders that were announced and not taken up, each with its mark then, and the file that says so."""
    found: dict[tuple[str, str], Path] = {}
    for path in sorted(_place(workspace).glob("*.json")):
        try:
            if path.name.startswith("."):  # it is being written
                continue
            said = parse_json(path.read_bytes())
            if time.time() - float(said["at"]) > FORGOTTEN_SECONDS:
                path.unlink(missing_ok=True)
            else:
                found[str(said["folder"]), str(said["mark"])] = path
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return found


def taken_up(announcements: Iterable[Path]) -> None:
    """Forget announcements: their checkpoints are taken."""
    for path in announcements:
        path.unlink(missing_ok=True)


def _place(workspace: Path) -> Path:
    return workspace / "jobs" / "announced"
