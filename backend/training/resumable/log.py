"""The training log: one JSON object a line, one line a step."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from isogloss.backend.files import publish

if TYPE_CHECKING:
    from pathlib import Path


def rewind(path: Path, step: int) -> None:
    """Leave only the lines up to `step`: what was logged after the state that a run goes on from will be logged again."""
    if not path.exists():
        return
    kept = [line for line in path.read_text(encoding="utf-8").split("\n") if 0 <= _step(line) <= step]
    with publish(path) as temporary:
        temporary.write_text("".join(line + "\n" for line in kept), encoding="utf-8")


def append(path: Path, *lines: dict[str, Any]) -> None:
    """Add lines."""
    with open(path, "a", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


def read(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a log, in their order; none where there is no log yet."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]  # one being written has no end yet


def learning_curve(path: Path, points: int = 200) -> list[tuple[int, float]]:
    """Return the training curve of a log: at most `points` pairs of a step and a mean loss. Empty where nothing is logged yet.

    The mean is over the steps up to that step, from the pair before.
    """
    losses = [float(line["loss"]) for line in read(path)]
    each = max(1, math.ceil(len(losses) / points))
    groups = [losses[at : at + each] for at in range(0, len(losses), each)]
    return [(min((k + 1) * each, len(losses)), sum(group) / len(group)) for k, group in enumerate(groups)]


def _step(line: str) -> int:
    """Return the step of a line; -1 for one that a kill cut short."""
    try:
        return int(json.loads(line)["step"])
    except (ValueError, KeyError, TypeError):
        return -1
