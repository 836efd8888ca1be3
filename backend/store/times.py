"""How long shards took, noted by the workers that computed them: `<workspace>/jobs/times/<experiment>.json`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from isogloss.backend.files import publish_json

if TYPE_CHECKING:
    from pathlib import Path

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
KEPT = 200
"""Shards of an experiment that are remembered."""


@dataclass(frozen=True)
class Taken:
    """One shard, from the moment a worker took it up, or ended the one before of its run, to its result."""

    seconds: Positive
    amount: Positive
    """How much work it was, as its experiment counts it."""
    like: tuple[str, ...]
    """What was done, with which model, on which data …: the first says in what the work is counted."""
    machine: str
    """`Machine.alike`"""
    start: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """Of `seconds`, those before its progress rose: to be taken up, to import and to load takes as long for little
    work as for much."""
    slowdown: Annotated[float, Field(ge=1, allow_inf_nan=False)] = 1.0
    """How many times as long it took, which is not in `seconds`, since others used the machine: reckoned, so that shards of a
    quiet machine tell more. 1 in a note of an older version, which does not say it."""


TIMES = TypeAdapter(list[Taken])


def path(workspace: Path, experiment: str) -> Path:
    """Return the file of an experiment."""
    return workspace / "jobs" / "times" / f"{experiment}.json"


def add(workspace: Path, experiment: str, taken: Taken) -> None:
    """Note one more shard; the oldest are forgotten.

    Two workers at the same moment may lose one of theirs, which changes no median by much. Raises `StoreError` where the
    workspace cannot be written.
    """
    noted = [asdict(each) for each in (*load(workspace, experiment), taken)]
    publish_json(path(workspace, experiment), noted[-KEPT:])


def load(workspace: Path, experiment: str) -> list[Taken]:
    """Return what is noted, the oldest first; nothing where there is no file, or another version's."""
    try:
        return TIMES.validate_json(path(workspace, experiment).read_bytes())
    except (OSError, ValidationError):
        return []
