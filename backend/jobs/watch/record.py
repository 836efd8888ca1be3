"""Watches: what is followed while it is trained, and what was seen of it. Two JSON files each in the workspace; no torch.

`watch.json` says what was asked for and is written once; `state.json` says what was seen and is written by whoever looks, one
process at a time (`held`). A watch's id is a hash of what it watches and measures: the same one added twice is one.
"""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, Field, ValidationError

from isogloss.backend import people
from isogloss.backend.errors import SpecError, StoreError
from isogloss.backend.files import CONTENT_ID, digest, not_written, publish_json
from isogloss.backend.locks import try_lock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Status = Literal["waiting", "queued", "scored", "failed", "passed"]
"""Of a checkpoint: not complete yet; taken, and its scores are on their way; there; not computed; passed over."""
WATCH, STATE, LOCK = "watch.json", "state.json", "state.lock"
LEAST_QUIET = 1.0
"""Seconds: no checkpoint counts as complete after fewer without a change (`Watch.quiet`)."""
PASSED_KEPT = 200
"""Checkpoints passed over that are remembered, at most."""


class Watch(BaseModel, frozen=True, extra="forbid"):
    """What was asked for."""

    source: Literal["folder", "hub"]
    location: str = Field(min_length=1, max_length=4096)
    """The absolute path of a folder of checkpoints, or a Hub id."""
    model: str = Field(min_length=1, max_length=120)
    """The name of the model that the checkpoints are added to."""
    spec: dict[str, Any]
    """The spec of a run as JSON, without checkpoints (`template`)."""
    every: int = Field(default=0, ge=0)
    """Of checkpoints whose name tells a step, those of multiples of it; 0 for all."""
    quiet: float = Field(default=30.0, ge=LEAST_QUIET, le=86400)
    """Seconds without a change after which a checkpoint without the Trainer's last file counts as complete."""
    rules: tuple[str, ...] = Field(default=(), max_length=20)
    """As they were typed (`rules.parse`)."""
    roots: tuple[str, ...] | None = None
    """Folders that its files must lie in; None for any, as the command line asks."""
    by: str = ""
    created_at: float = 0.0

    @property
    def id(self) -> str:
        """Name what is watched and measured, however often and by whom."""
        return digest([self.source, self.location, self.model, self.spec])


class Seen(BaseModel, frozen=True):
    """A checkpoint as it was seen; one that was replaced is another."""

    name: str
    """Of its folder, or of its branch or tag."""
    mark: str
    """What its files looked like, or its commit."""
    since: float
    """When it was first seen so, in seconds since 1970."""
    step: int | None = None
    status: Status = "waiting"
    why: str = ""
    """In words, after its name."""
    broken: bool = False
    """Its files are not whole: nothing is read again until they change."""
    label: str = ""
    fingerprint: str = ""
    run: str = ""
    """The id of the run that scores it."""
    copied: str = ""
    """The folder of the copy that is scored, within the watch's own; empty for none."""
    at: float = 0.0
    """When its status changed last."""


class Fired(BaseModel, frozen=True):
    """A rule that said something of a checkpoint."""

    rule: str
    fingerprint: str
    sentence: str
    at: float


class State(BaseModel, frozen=True):
    """What was seen."""

    model: str = ""
    """What the model is called now; empty before its first checkpoint."""
    seen: tuple[Seen, ...] = ()
    """The last of a name is what is there now."""
    fired: tuple[Fired, ...] = ()
    trouble: str = ""
    """Why it could not be looked at last; it is tried again."""
    asked_at: float = 0.0
    """When the Hub was asked last."""
    ended: str = ""
    """Why it ended; empty while it is alive."""
    by_worker: bool = True
    """Whether workers look; else the command that began it."""

    @property
    def latest(self) -> dict[str, Seen]:
        """What is there now, by name."""
        return {each.name: each for each in self.seen}

    @property
    def scored(self) -> list[Seen]:
        """The checkpoints that have scores, as they got them; one that was written again with the same content is one."""
        found = sorted((each for each in self.seen if each.status == "scored"), key=lambda each: each.at)
        return list({each.fingerprint: each for each in reversed(found)}.values())[::-1]

    def with_seen(self, new: Seen) -> State:
        """Return the state with what is now known of a checkpoint, in place of what was known of the same content."""
        place = {(each.name, each.mark): each for each in self.seen} | {(new.name, new.mark): new}  # where it stood
        passed = [each for each in place.values() if each.status == "passed" and each is not new]
        forgotten = {id(each) for each in passed[: max(0, len(passed) - PASSED_KEPT)]}
        return self.model_copy(update={"seen": tuple(each for each in place.values() if id(each) not in forgotten)})


def folder(workspace: Path, watch: str) -> Path:
    """Return the folder of a watch. Raises `SpecError` for what is no id: it becomes a path."""
    if not CONTENT_ID.fullmatch(watch):
        raise SpecError(f"'{watch[:60]}' is no id of a watch. `watches list` has them.")
    return _all(workspace) / watch


def _all(workspace: Path) -> Path:
    return workspace / "jobs" / "watches"


def add(watch: Watch, workspace: Path, *, by_worker: bool = True) -> str:
    """Begin a watch, or one that ended, and return its id; one that goes on stays as it is but for its rules, every and quiet.

    Raises `RefusedError` where whoever asks may not start runs or add models, `StoreError` where nothing can be written.
    """
    people.require("run")
    people.require("import")
    place = folder(workspace, watch.id)
    publish_json(place / WATCH, watch.model_dump())
    with held(workspace, watch.id, wait=True):
        before = state(workspace, watch.id)
        going = before.by_worker and (place / STATE).exists() and not before.ended
        write(workspace, watch.id, before.model_copy(update={"ended": "", "by_worker": by_worker or going}))
    return watch.id


def watches(workspace: Path) -> list[tuple[Watch, State]]:
    """Return the readable watches of a workspace, the newest first."""
    found = [(each, state(workspace, path.parent.name)) for path in _all(workspace).glob(f"*/{WATCH}") if (each := _read(path))]
    return sorted(found, key=lambda pair: -pair[0].created_at)


def _read(path: Path) -> Watch | None:
    try:
        found = Watch.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
    return found if found.id == path.parent.name else None


def one(workspace: Path, watch: str) -> Watch:
    """Return a watch by its id. Raises `SpecError` where there is none."""
    if (found := _read(folder(workspace, watch) / WATCH)) is None:
        raise SpecError(f"There is no watch '{watch}'. `watches list` has them.")
    return found


def state(workspace: Path, watch: str) -> State:
    """Return what a watch has seen; nothing where it has seen nothing, or where its file cannot be read."""
    try:
        return State.model_validate_json((folder(workspace, watch) / STATE).read_bytes())
    except (OSError, ValidationError):
        return State()


def write(workspace: Path, watch: str, new: State) -> None:
    """Keep what was seen. Raises `StoreError` where the workspace cannot be written."""
    publish_json(folder(workspace, watch) / STATE, json.loads(new.model_dump_json()))


@contextmanager
def held(workspace: Path, watch: str, *, wait: bool = False) -> Iterator[bool]:
    """Yield whether this process alone may change a watch's state now; with `wait` it is waited for, ten seconds at most."""
    path = folder(workspace, watch) / LOCK
    try:
        handle = open(path, "a", encoding="utf-8")  # noqa: SIM115 — closed below
    except OSError as error:
        raise not_written(path, error, "workspace", "try again.") from error
    with handle:
        until = time.monotonic() + 10
        while not (mine := try_lock(handle)) and wait and time.monotonic() < until:
            time.sleep(0.05)
        if wait and not mine:
            raise StoreError("Another process looks at this watch just now. Try again.")
        yield mine


def is_alive(state: State) -> bool:
    """Return whether somebody is to look at it still."""
    return not state.ended


def alive(workspace: Path, *, by_worker: bool = False) -> list[tuple[Watch, State]]:
    """Return the watches that have not ended; with `by_worker` those that workers look at."""
    return [(each, now) for each, now in watches(workspace) if is_alive(now) and (now.by_worker or not by_worker)]


def end(workspace: Path, watch: str, why: str) -> None:
    """End a watch, in words; what is scored stays, and a run in hand goes on.

    Raises `RefusedError` where whoever asks may not cancel what is another's, `SpecError` where there is none.
    """
    people.require("cancel", of=one(workspace, watch).by)
    with held(workspace, watch, wait=True):
        write(workspace, watch, state(workspace, watch).model_copy(update={"ended": why}))
