"""The training log: one JSON object a line, one line a step."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from backend.files import publish

if TYPE_CHECKING:
    from pathlib import Path


def rewind(path: Path, step: int) -> None:
    """Leave only the lines up to `step`: what was logged after the state that a run goes on from will be logged again."""
    if not path.exists():
        return
    kept = [line for line in path.read_text(encoding="utf-8").split("\n") if 0 <= _step(line) <= step]
    with publish(path) as temporary:
        temporary.write_text("".join(line + "\n" for line in kept), encoding="utf-8")


def append(path: Path, values: dict[str, Any]) -> None:
    """Add one line."""
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(values) + "\n")


def _step(line: str) -> int:
    """The step of a line; -1 for one that a kill cut short."""
    try:
        return int(json.loads(line)["step"])
    except (ValueError, KeyError, TypeError):
        return -1
