"""Workspaces that many tests begin with: made once, then copied."""

from __future__ import annotations

import functools
import os
import shutil
import tempfile
import time
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Made = TypeVar("Made")
_places = tempfile.TemporaryDirectory(prefix="made-once-")


def made_once(fill: Callable[..., Made]) -> Callable[..., Made]:
    """`fill(workspace, …)` that fills a folder of its own once for all equal arguments, and copies what is in it.

    What it writes must depend neither on what is in the workspace nor on where that is.
    """
    known: dict[str, tuple[Path, Made]] = {}

    @functools.wraps(fill)
    def filled(workspace: Path, *given: Any, **options: Any) -> Made:
        asked = repr((given, sorted(options.items())))
        if asked not in known:
            place = Path(tempfile.mkdtemp(dir=_places.name))
            known[asked] = (place, fill(place, *given, **options))
        place, made = known[asked]
        _copy(place, workspace)
        return deepcopy(made)

    return filled


def _copy(place: Path, workspace: Path) -> None:
    """The files as if they were written now, in the order in which they were: the store goes by that."""
    now = time.time_ns()
    files = sorted((path for path in place.rglob("*") if path.is_file()), key=lambda path: path.stat().st_mtime_ns)
    for number, path in enumerate(files):
        copy = workspace / path.relative_to(place)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
        os.utime(copy, ns=(now + 1000 * number,) * 2)
