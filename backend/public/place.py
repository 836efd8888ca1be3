"""In which workspace a public function works: the one given, else the one in force."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.backend.settings import PREFIX, Settings, settings

if TYPE_CHECKING:
    from collections.abc import Iterator

VARIABLE = f"{PREFIX}WORKSPACE"
_turn = threading.RLock()


@contextmanager
def at(workspace: str | os.PathLike[str] | None) -> Iterator[Settings]:
    """Let everything within, workers that it starts among it, use `workspace`; None for the one in force.

    The variable that names it is set meanwhile: one thread at a time, whoever gives one. Raises `SpecError` as `settings` does.
    """
    if workspace is None:
        yield settings()
        return
    with _turn:
        before = os.environ.get(VARIABLE)
        os.environ[VARIABLE] = str(Path(workspace).expanduser().resolve())
        try:
            yield settings()
        finally:
            if before is None:
                del os.environ[VARIABLE]
            else:
                os.environ[VARIABLE] = before
