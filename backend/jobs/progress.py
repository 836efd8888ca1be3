"""Progress of the shard being computed: a small file a shard, replaced at most twice a second."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from isogloss.backend.errors import StoreError
from isogloss.backend.files import digest, parse_json, publish_json

if TYPE_CHECKING:
    from pathlib import Path


def _path(workspace: Path, workflow_id: str) -> Path:
    return workspace / "jobs" / "progress" / f"{digest(workflow_id)}.json"


@dataclass
class Reporter:
    """Writes one shard's progress. A full disk must not fail the shard: the scores' own file will say so."""

    workspace: Path
    workflow_id: str
    last: float = field(default=0.0)

    def report(self, what: str, share: float) -> None:
        """Write what is being done and the share done (0 to 1), unless that was less than half a second ago."""
        if time.monotonic() - self.last < 0.5:
            return
        self.last = time.monotonic()
        try:
            publish_json(_path(self.workspace, self.workflow_id), {"what": what, "share": share})
        except StoreError:
            return

    def clear(self) -> None:
        """Remove the shard's file."""
        try:
            _path(self.workspace, self.workflow_id).unlink(missing_ok=True)
        except OSError:
            return


def read(workspace: Path, workflow_id: str) -> tuple[str, float] | None:
    """Read what the shard is doing and the share done (0 to 1); None where nothing is known."""
    try:
        found = parse_json(_path(workspace, workflow_id).read_bytes())
        return str(found["what"]), float(found["share"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
