"""Files that shards publish, one each: read whole once a process, and set aside where they are damaged."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from backend import parquet
from backend.errors import StoreError
from backend.files import published_files
from backend.store import quarantine

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path


@dataclass(frozen=True, eq=False)
class ShardFile:
    """A verified file and what it says about itself. One object a file and process, so that it can key caches."""

    path: Path
    provenance: Mapping[str, Any]
    modified: float
    """When it was published: with the path, a key for caches."""

    @property
    def run(self) -> str:
        """The shard's key."""
        return self.path.stem


def readable_files(workspaces: Sequence[Path], pattern: str) -> list[ShardFile]:
    """Return every readable file that matches a glob in a workspace, oldest first. Damaged ones are set aside on the way."""
    files = [
        file
        for workspace in workspaces
        for path in published_files(workspace, pattern)
        if (file := _read(workspace, path)) is not None
    ]
    return sorted(files, key=lambda file: file.modified)


def exists(places: Iterable[tuple[Path, Path]]) -> bool:
    """Return whether one of these (workspace, file) is there and readable; a damaged one is set aside and does not count."""
    return any(_read(workspace, path) is not None for workspace, path in places)


def _read(workspace: Path, path: Path) -> ShardFile | None:
    try:
        stat = path.stat()
        return _verified(path, stat.st_mtime, stat.st_size)
    except FileNotFoundError:
        return None  # not there, or removed by another process between the listing and the reading
    except StoreError as error:
        quarantine.set_aside(workspace, path, str(error))
        return None


@lru_cache(maxsize=100_000)
def _verified(path: Path, modified: float, _size: int) -> ShardFile:
    parquet.read(path)  # every byte's checksum; a second of work for a million rows, once a process
    return ShardFile(path, parquet.metadata(path), modified)
