"""What a killed build has written, for the next one of the same: the scores of each checkpoint, which take the time."""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isogloss.backend.files import digest
from isogloss.backend.locks import try_lock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from isogloss.backend.atlas.grids import PairGrid
    from isogloss.backend.atlas.site import Content

KEPT = re.compile(r"data/g\d+-c\d+(-l\d+)?\.js|workspace/scores/[a-z0-9_]+/[0-9a-f]{24}\.parquet")
"""Files of a build that are the same in the next one: each is there whole or not at all."""


LOCK = ".lock"
"""Is held by the build that writes the folder it lies in."""


def key_of(content: Content, pattern: re.Pattern[str]) -> str:
    """Return what is the same for two builds whose `KEPT` files are: scores, names, digits, what may not leave, this code."""
    code = hashlib.blake2b(b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))))
    return digest([code.hexdigest(), pattern.pattern, content.exact, [_grid(grid) for grid in content.grids]])


def _grid(grid: PairGrid) -> list[Any]:
    times = {str(path): modified for path, modified in grid.modified}
    files = [[str(file.path), times.get(str(file.path))] for file in grid.files]
    what = [grid.family.name, grid.of, grid.metrics, grid.protocol, [each.variant for each in grid.measures]]
    return [what, grid.model.model_dump(mode="json"), grid.corpus.model_dump(mode="json"), files]


@contextmanager
def held(folder: Path) -> Iterator[bool]:
    """Make a folder to build in, or take over one that a killed build left; False where another build is at it."""
    if os.name == "nt":  # a folder in which a file is open cannot be moved there
        yield False
        return
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / LOCK, "a") as handle:
        alone = try_lock(handle)
        if alone:
            _clear(folder)
        yield alone


def _clear(folder: Path) -> None:
    """Remove what a build writes again, or had half written."""
    for path in list(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if not path.is_dir() and name != LOCK and not KEPT.fullmatch(name):
            path.unlink()
