"""Parquet files that are whole, checked and content-addressed; what is damaged is set aside, never trusted."""

from __future__ import annotations

import datetime as dt
import json
import os
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from backend.errors import StoreError
from backend.files import publish, publish_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

METADATA = b"isogloss"


def write(path: Path, table: pa.Table, metadata: Mapping[str, Any]) -> Path:
    """Publish `table` at `path` with `metadata` (JSON) in its footer and a checksum on every page.

    Raises `StoreError` on a full disk or a read-only workspace.
    """
    text = json.dumps(dict(metadata), ensure_ascii=False, sort_keys=True)
    stamped = table.replace_schema_metadata({METADATA: text.encode("utf-8")})
    with publish(path) as temporary:
        pq.write_table(stamped, temporary, compression="zstd", write_page_checksum=True, row_group_size=1 << 20)
    return path


def read(path: Path, columns: list[str] | None = None) -> pa.Table:
    """The table at `path`, every page's checksum verified.

    Raises `StoreError` naming the file where it is truncated or altered (it is not moved: see `set_aside`).
    """
    try:
        # Not memory-mapped: a file that is replaced or truncated under us must not kill the process.
        return pq.read_table(path, columns=columns, memory_map=False, page_checksum_verification=True, partitioning=None)
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        raise StoreError(f"The file {path.name} is damaged ({first_line(error)}). It will be computed again.") from error


def metadata(path: Path) -> dict[str, Any]:
    """The JSON that `write` put into the footer. Raises `StoreError` where the footer cannot be read."""
    try:
        found = pq.read_schema(path).metadata or {}
        return dict(json.loads(found[METADATA]))
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        raise StoreError(f"The file {path.name} is damaged ({first_line(error)}). It will be computed again.") from error


def set_aside(workspace: Path, path: Path, reason: str) -> Path | None:
    """Move a damaged file to `<workspace>/quarantine` and note why; None where the workspace cannot be written."""
    now = dt.datetime.now(dt.UTC)
    target = workspace / "quarantine" / f"{now:%Y%m%dT%H%M%S%f}-{path.name}"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(path, target)
        note = {"file": str(path.relative_to(workspace)), "reason": reason, "at": now.isoformat()}
        publish_json(target.with_name(target.name + ".json"), note)
    except (OSError, StoreError):
        return None
    return target


def quarantined(workspace: Path) -> list[dict[str, str]]:
    """The notes of what was set aside, newest first: `file`, `reason`, `at`."""
    notes = sorted((workspace / "quarantine").glob("*.json"), reverse=True)
    return [json.loads(note.read_text(encoding="utf-8")) for note in notes]


def first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:160]
