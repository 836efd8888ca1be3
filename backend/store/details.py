"""The rows behind one mark of a figure: one Parquet file a spec, `<workspace>/details/<spec id>.parquet`."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from isogloss.backend import parquet
from isogloss.backend.byte_cache import ByteCache, bytes_of
from isogloss.backend.errors import StoreError
from isogloss.backend.files import named, published_files
from isogloss.backend.store import quarantine

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    import pandas as pd
    import pyarrow as pa

FOLDER = "details"
LIMIT = 128 << 20
"""Bytes of what is made of what is kept sentence by sentence, of all families together: of 204 languages at 33 layers of 1,000
sentences two checkpoints take 28 MB (probes), 64 (alignment), 26 (a measure of geometry)."""
BY_SENTENCE: ByteCache[Any] = ByteCache(LIMIT, bytes_of)
"""By the family and what it is of. One person seldom compares in two families at once: each with bytes of its own, the server
would keep them all."""


def path(workspace: Path, spec_id: str) -> Path:
    """Return the spec's file, whether it is there or not."""
    return workspace / FOLDER / f"{named(spec_id)}.parquet"


def load(spec_id: str, workspaces: Sequence[Path]) -> pd.DataFrame | None:
    """Return the rows from the first workspace that has them, or None; a damaged file is set aside."""
    found = whole(spec_id, workspaces)
    return None if found is None else found[0]


def provenance(spec_id: str, workspaces: Sequence[Path]) -> dict[str, Any] | None:
    """Return what the first file that is there says of itself, or None; a damaged file is set aside."""
    found = _first(spec_id, workspaces)
    return None if found is None else found[1]


def whole(spec_id: str, workspaces: Sequence[Path]) -> tuple[pd.DataFrame, dict[str, Any]] | None:
    """Return the rows and what their file says of itself, read once, as `load` and `provenance` do."""
    found = _first(spec_id, workspaces)
    return None if found is None else (found[0].to_pandas(), found[1])


def _first(spec_id: str, workspaces: Sequence[Path]) -> tuple[pa.Table, dict[str, Any]] | None:
    for workspace in workspaces:
        if (found := quarantine.read(workspace, path(workspace, spec_id))) is not None:
            return found
    return None


def published(keys: Iterable[str], workspaces: Sequence[Path]) -> tuple[tuple[str, int], ...]:
    """Return the files of these specs that are there, each with when it was published (nanoseconds)."""
    found = []
    for file in (path(workspace, key) for key in keys for workspace in workspaces):
        with suppress(OSError):
            found.append((str(file), file.stat().st_mtime_ns))
    return tuple(found)


def every(workspaces: Sequence[Path]) -> dict[str, dict[str, Any]]:
    """Return what each file says of itself, by spec id, the oldest first; a file that two workspaces have is the first one's.

    Only footers are read, and unreadable ones left out: `load` sets damaged files aside.
    """
    by_age: list[tuple[float, str, dict[str, Any]]] = []
    seen: set[str] = set()
    for workspace in workspaces:
        for file in published_files(workspace / FOLDER, "*.parquet"):
            with suppress(OSError, StoreError):
                if file.stem not in seen:
                    by_age.append((file.stat().st_mtime, file.stem, parquet.metadata(file)))
                    seen.add(file.stem)
    return {spec_id: provenance for _, spec_id, provenance in sorted(by_age, key=lambda each: each[:2])}


def write(workspace: Path, spec_id: str, table: pa.Table, provenance: Mapping[str, Any]) -> Path:
    """Publish the rows, `provenance` in the file's footer. Raises `StoreError` where they cannot be written."""
    return parquet.write(path(workspace, spec_id), table, provenance)
