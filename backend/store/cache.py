"""What takes space in a workspace: list it, check every file, remove what is asked for."""

from __future__ import annotations

import shutil
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from isogloss.backend import listing, parquet, people
from isogloss.backend.errors import StoreError, did_you_mean
from isogloss.backend.files import RUNNING, TEMPORARY, published_files
from isogloss.backend.locks import is_locked, try_lock
from isogloss.backend.settings import DEMO
from isogloss.backend.store import quarantine, records, scored_layers, scores

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Kind = Literal[
    "corpora",
    "tasks",
    "tagged",
    "lexicons",
    "alignments",
    "covariates",
    "emergent",
    "static_vectors",
    "models",
    "embeddings",
    "scores",
    "records",
    "details",
    "weights",
    "bases",
    "tokenizers",
    "training",
    "scratch",
    "categories",
    "notes",
    "boards",
    "atlases",
    "uploads",
    "jobs",
    "quarantine",
    "other",
]
"""The folders of a workspace, and whatever else lies in it."""
COMPUTED = ("embeddings", "scores", "records", "details", "weights", "bases", "tokenizers", "scratch", "quarantine")
IN_PROGRESS = ("training", "uploads")
"""What nobody has in hand of these may be removed."""
KEPT = ("jobs", "other")
UPLOADS = "uploads"
IDLE_SECONDS, STALE_SECONDS = 3600.0, 24 * 3600.0
"""Dropped files go where one asks for it once nobody wrote to them for so long, and by themselves."""


@dataclass(frozen=True)
class Usage:
    """What one kind of thing takes of the disk."""

    kind: Kind
    files: int
    size: int
    """Bytes."""


def usage(workspace: Path) -> list[Usage]:
    """Files and bytes of each kind of thing in `workspace`."""
    usages = []
    kinds = set(get_args(Kind)) - {"other"}
    others = [path for path in workspace.glob("*") if path.name not in kinds and path.resolve() != DEMO]
    for kind in get_args(Kind):
        sizes = [size for path in others for size in _sizes(path)] if kind == "other" else _sizes(workspace / kind)
        usages.append(Usage(kind, len(sizes), sum(sizes)))
    return usages


def _sizes(path: Path) -> list[int]:
    """Bytes of a file, or of each file below a folder, without those that a worker takes away meanwhile."""
    sizes = []
    for file in (path, *path.rglob("*")):
        with suppress(FileNotFoundError):
            if file.is_file():
                sizes.append(file.stat().st_size)
    return sizes


def check(workspace: Path) -> tuple[int, list[str]]:
    """Read every computed file whole; the number read, and a sentence for each damaged one, now set aside.

    What the user brought is no cache: `backend.corpora.kinds.check` reads it, and nothing moves it. Raises
    `RefusedError` where whoever asks may not.
    """
    people.require("remove")
    problems: list[str] = []
    count = 0
    for kind in ("embeddings", "scores", "records", "details"):
        for path in published_files(workspace / kind, "**/*.parquet"):
            count += 1
            try:
                parquet.read(path)
            except FileNotFoundError:
                continue
            except StoreError as error:
                moved = quarantine.set_aside(workspace, path, error)
                kept = "" if isinstance(error, parquet.NotOursError) else " It could not be moved."
                problems.append(f"{error}{' Set aside in quarantine/.' if moved else kept}")
    ours = {problem for _, problem in left_out([workspace])} - set(problems)
    return count, [*problems, *sorted(ours)]


def left_out(workspaces: Sequence[Path]) -> list[tuple[Path, str]]:
    """Return the results that are not read and stay where they are: the file, and a sentence on why and what to do."""
    return [*scores.left_out(workspaces), *records.left_out(workspaces)]


def remove(workspace: Path, kind: str, *, sure: bool = False) -> int:
    """Remove everything of one kind, with what a kill left of it half written; the bytes freed.

    What is in hand stays: a training that a worker is at, a file that a session reads. What people brought or wrote goes only
    where one is `sure`. Raises `StoreError` for what is not removed so, `RefusedError` where whoever asks may not.
    """
    people.require("remove")
    removable = [each for each in get_args(Kind) if each not in KEPT]
    if kind not in removable:
        instead = " Forget runs instead: isogloss jobs forget." if kind == "jobs" else ""
        raise StoreError(f"'{kind}' cannot be removed here.{instead or ' ' + did_you_mean(kind, removable)}")
    if not (sure or kind in {*COMPUTED, *IN_PROGRESS}):
        raise StoreError(
            f"'{kind}' is what people brought or wrote: nothing computes it again. Remove single things by their names, "
            f"or all of it with isogloss cache remove {kind} --sure."
        )
    folder = workspace / kind
    before = sum(_sizes(folder))
    listing.look_again()
    try:
        match kind:
            case "training":
                _remove_trainings(folder)
            case "uploads":
                remove_idle_uploads(workspace, IDLE_SECONDS)
            case _:
                shutil.rmtree(folder)
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise StoreError(f"Could not remove {kind}: {error.strerror}. Check that the workspace is writable.") from error
    return before - sum(_sizes(folder))


def _remove_trainings(folder: Path) -> None:
    """Remove each training that no worker has; one that comes meanwhile waits, and begins anew."""
    for training in folder.glob("*"):
        with open(training / RUNNING, "a", encoding="utf-8") as handle:
            if try_lock(handle):
                shutil.rmtree(training)


def remove_idle_uploads(workspace: Path, older_than_seconds: float) -> None:
    """Remove dropped files that a killed server left behind so long ago, and that nobody is reading (`hold`)."""
    if people.only_looks():
        return
    for dropped in (workspace / UPLOADS).glob("*"):
        with suppress(OSError):  # another server was faster
            newest = max(path.stat().st_mtime for path in (dropped, *dropped.glob("*")))
            if time.time() - newest > older_than_seconds and not _is_held(dropped):
                shutil.rmtree(dropped, ignore_errors=True)


def forget_stale_layers(workspace: Path) -> None:
    """Remove scores of layers that nobody went on with for a week (`scored_layers`)."""
    if not people.only_looks():
        scored_layers.forget_stale(workspace)


def _is_held(dropped: Path) -> bool:
    try:
        with open(dropped / RUNNING, "rb") as handle:
            return is_locked(handle)
    except FileNotFoundError:
        return False


def remove_unfinished(workspace: Path, older_than_seconds: float) -> int:
    """Remove temporary files and folders that a killed process left behind; how many."""
    gone = 0
    for path in list(workspace.rglob(f"{TEMPORARY}*")):
        try:
            if time.time() - path.stat().st_mtime > older_than_seconds:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
                gone += 1
        except OSError:
            continue
    return gone
