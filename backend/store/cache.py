"""What takes space in a workspace: list it, check every file, remove what is asked for."""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from backend import parquet
from backend.errors import StoreError, did_you_mean
from backend.files import TEMPORARY, published_files
from backend.store import quarantine

if TYPE_CHECKING:
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
    "categories",
    "notes",
    "boards",
    "uploads",
    "jobs",
    "quarantine",
]


@dataclass(frozen=True)
class Usage:
    """What one kind of thing takes of the disk."""

    kind: Kind
    files: int
    size: int
    """Bytes."""


def usage(workspace: Path) -> list[Usage]:
    """Files and bytes of each kind of thing in `workspace`."""
    found = []
    for kind in get_args(Kind):
        sizes = _sizes(workspace / kind)
        found.append(Usage(kind, len(sizes), sum(sizes)))
    return found


def _sizes(folder: Path) -> list[int]:
    """Bytes of each file below `folder`, without those that a worker takes away meanwhile."""
    sizes = []
    for file in folder.rglob("*"):
        with suppress(FileNotFoundError):
            if file.is_file():
                sizes.append(file.stat().st_size)
    return sizes


def check(workspace: Path) -> tuple[int, list[str]]:
    """Read every computed file whole; the number read, and a sentence for each damaged one, now set aside.

    What the user brought is no cache: `backend.corpora.shared.brought.check` reads it, and nothing moves it.
    """
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
                moved = quarantine.set_aside(workspace, path, str(error))
                problems.append(f"{error} {'Set aside in quarantine/.' if moved else 'It could not be moved.'}")
    return count, problems


def remove(workspace: Path, kind: str) -> int:
    """Remove everything of one kind, and unfinished temporary files; the bytes freed. What the user brought stays.

    Raises `StoreError` for a kind that is not a cache (what the user brought is removed by name in the library).
    """
    removable = {"embeddings", "scores", "records", "details", "weights", "bases", "tokenizers", "quarantine"}
    if kind not in removable:
        raise StoreError(f"'{kind}' cannot be removed here. {did_you_mean(kind, removable)}")
    folder = workspace / kind
    freed = sum(_sizes(folder))
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise StoreError(f"Could not remove {kind}: {error.strerror}. Check that the workspace is writable.") from error
    return freed


def remove_unfinished(workspace: Path, older_than_seconds: float) -> int:
    """Remove temporary files that a killed process left behind; how many."""
    import time

    gone = 0
    for file in workspace.rglob(f"{TEMPORARY}*"):
        try:
            if time.time() - file.stat().st_mtime > older_than_seconds:
                file.unlink()
                gone += 1
        except OSError:
            continue
    return gone
