"""The next checkpoint's files are read while the present one computes: its loading then waits for no disk.

Reading puts them into the operating system's page cache and nowhere else, so nothing is held that could be lost, and what
loads them later loads as ever. A checkpoint of the Hub is downloaded first.
"""

from __future__ import annotations

import logging
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.backend.errors import IsoglossError
from isogloss.backend.models.files.weights import ModelFiles
from isogloss.backend.models.loading.load import hub_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from isogloss.backend.models.entry import Checkpoint
    from isogloss.backend.settings import Settings

log = logging.getLogger("isogloss.worker")
PIECE = 128 * 2**10
"""Bytes asked for at once: Linux reads no more of a larger request than it would read ahead by itself."""
LARGEST_SHARE = 0.25
"""Of this machine's memory: files larger than that would push out what the present checkpoint computes with."""


def start(checkpoint: Checkpoint, settings: Settings, should_stop: Callable[[], bool]) -> threading.Thread:
    """Begin to read, in a thread that no exit waits for. It never raises: loading the checkpoint says what is wrong with it."""
    thread = threading.Thread(target=_quietly, args=(checkpoint, settings, should_stop), name="read-ahead", daemon=True)
    thread.start()
    return thread


def read(checkpoint: Checkpoint, settings: Settings, should_stop: Callable[[], bool]) -> int:
    """Ask for the weights of `checkpoint`, piece by piece until `should_stop`; how many pieces were asked for.

    Asking costs a seventh of the processor's time that reading does, and the kernel may decline. None where the weights
    take more than `LARGEST_SHARE` of the memory or the system cannot be asked (macOS). Raises what finding them raises.
    """
    if not hasattr(os, "posix_fadvise"):
        return 0
    paths = _files(checkpoint, settings)
    if sum(path.stat().st_size for path in paths) > LARGEST_SHARE * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"):
        return 0
    total = 0
    for path in paths:
        with open(path, "rb") as file:
            for place in range(0, path.stat().st_size, PIECE):
                if should_stop():
                    return total
                os.posix_fadvise(file.fileno(), place, PIECE, os.POSIX_FADV_WILLNEED)
                total += 1
    return total


def _files(checkpoint: Checkpoint, settings: Settings) -> list[Path]:
    match checkpoint.source:
        case "fairseq":
            return [Path(checkpoint.location)] if settings.allow_pickle else []
        case "folder":
            return ModelFiles(Path(checkpoint.location), f"'{checkpoint.label}'", settings.allow_pickle).weights
        case "hub":
            return hub_files(checkpoint, settings).weights


def _quietly(checkpoint: Checkpoint, settings: Settings, should_stop: Callable[[], bool]) -> None:
    try:
        read(checkpoint, settings, should_stop)
    except (IsoglossError, OSError) as error:
        log.info("'%s' was not read ahead: %s", checkpoint.label, error)
