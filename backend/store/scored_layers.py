"""Scores of a shard's layers while others are not done: who was stopped in the middle goes on at the next layer.

`scratch/<shard>.scores.parquet`, written once a minute at most: of two hundred languages a layer takes minutes. Removed when
the shard is published, when the run is cancelled, and where nobody went on for a week.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from isogloss.backend import parquet
from isogloss.backend.errors import StoreError
from isogloss.backend.files import named

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

ENDING = ".scores.parquet"
EVERY = 60.0
"""Seconds of scoring from which on it is worth keeping."""
STALE_SECONDS = 7 * 24 * 3600.0
"""So long a run that was killed may be gone on with at its layer; later at its shard."""
Rows = list[dict[str, Any]]


def place_of(workspace: Path, shard: str) -> Path:
    """Return the file of a shard's scores so far, whether it is there or not."""
    return workspace / "scratch" / f"{named(shard)}{ENDING}"


def keep(workspace: Path, shard: str, rows: Sequence[Mapping[str, Any]], layers: int, seconds: float, of: str) -> None:
    """Keep the rows of the first so many layers, which took so many seconds; nothing where they cannot be written.

    `of` is what they depend on that the shard's key does not say.
    """
    with suppress(StoreError):
        said = {"layers": layers, "seconds": seconds, "of": of}
        parquet.write(place_of(workspace, shard), pa.Table.from_pylist(list(rows)), said)


def load(workspace: Path, shard: str, of: str) -> tuple[Rows, int, float]:
    """Return the rows that are kept, of how many layers, and the seconds they took; none of those of another `of`."""
    place = place_of(workspace, shard)
    try:
        said = parquet.metadata(place)
        if said["of"] == of:
            return parquet.read(place).to_pylist(), int(said["layers"]), float(said["seconds"])
    except (OSError, StoreError, KeyError, TypeError, ValueError):
        pass  # none, or none that is whole
    return [], 0, 0.0


def forget(workspace: Path, shard: str) -> None:
    """Remove what is kept of a shard, which is done or which nobody wants any more."""
    with suppress(OSError):
        place_of(workspace, shard).unlink()


def forget_stale(workspace: Path) -> None:
    """Remove what nobody went on with for `STALE_SECONDS`."""
    for place in place_of(workspace, "any").parent.glob(f"*{ENDING}"):
        with suppress(OSError):  # a worker went on with it, or another server was faster
            if time.time() - place.stat().st_mtime > STALE_SECONDS:
                place.unlink()
