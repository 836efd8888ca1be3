"""Look at all watches again and again, as long as a worker lives: closing a browser stops none, and nothing else need run."""

from __future__ import annotations

import logging
import os
import subprocess
import time
from typing import TYPE_CHECKING

from isogloss.backend.jobs.watch import record
from isogloss.backend.jobs.watch.look import look

if TYPE_CHECKING:
    from collections.abc import Iterable

    from isogloss.backend.jobs.watch.record import Fired, Watch
    from isogloss.backend.settings import Settings

log = logging.getLogger("isogloss.worker")
PAUSE_SECONDS = 2.0
"""Between two looks: a folder is listed, and nothing is read of what is known."""


def for_ever(settings: Settings) -> None:
    """Look at the watches that are left to workers until the process ends; what goes wrong is told, and tried again."""
    while True:
        for watch, _ in record.alive(settings.workspace, by_worker=True):
            try:
                found = look(watch, settings)
                if found is not None and settings.watch_command:
                    tell(settings.watch_command, watch, found[1])
            except Exception as error:  # noqa: BLE001 — a watch outlives a full disk, a database that is away, and our bugs
                log.warning("the watch of %s could not look, which is tried again: %s", watch.location, error)
        time.sleep(PAUSE_SECONDS)


def tell(command: str, watch: Watch, fired: Iterable[Fired]) -> None:
    """Run an operator's command by a shell for each of these notes, and do not wait for it.

    It is told by its environment, where nothing is read as a part of the command: `ISOGLOSS_NOTE`, `ISOGLOSS_RULE`,
    `ISOGLOSS_WATCHED` (the folder or id) and `ISOGLOSS_MODEL`.
    """
    for each in fired:
        said = {"NOTE": each.sentence, "RULE": each.rule, "WATCHED": watch.location, "MODEL": watch.model}
        environment = os.environ | {f"ISOGLOSS_{name}": value.replace("\0", "") for name, value in said.items()}
        try:
            subprocess.Popen(command, shell=True, env=environment, stdin=subprocess.DEVNULL, start_new_session=True)
        except OSError as error:
            log.warning("the command of a watch's rules could not be run: %s", error)
