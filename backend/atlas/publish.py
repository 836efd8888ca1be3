"""Publish: what of a workspace becomes an atlas, and its folder, which is there whole or as it was before."""

from __future__ import annotations

import ctypes
import io
import os
import shutil
import sys
import tempfile
import time
import uuid
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.backend.atlas import private, resumed, site, texts
from isogloss.backend.atlas.grids import pair_grids
from isogloss.backend.boards import board
from isogloss.backend.boards.parts import parts_of
from isogloss.backend.errors import ModelError, StoreError, did_you_mean
from isogloss.backend.experiments.words import count
from isogloss.backend.files import parse_json
from isogloss.backend.models.library import library as models

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.atlas.site import Content, Progress

BUILDING = ".isogloss-atlas-"
"""Begins the name of a folder, beside the atlas, that is being written or was replaced."""
STALE = 24 * 3600
"""Seconds after which such a folder is left of a build that was killed."""
EXCHANGE = 2
"""RENAME_EXCHANGE of Linux's renameat2."""
AT = -100
"""AT_FDCWD: paths count from the working folder."""


def of_board(workspaces: Sequence[Path], id_: str) -> Content:
    """Return a board's figures and texts, and the scores of the models and data that its figures rest on.

    Raises `StoreError` where there is no such board, or where a figure's rows are lost.
    """
    on = board.open_board(workspaces, id_)
    parts = tuple(parts_of(workspaces, on, signed=False))
    named = {name for part in parts for name in part.rests_on.models}
    corpora = {str(each["id"]) for part in parts for each in part.rests_on.corpora}
    grids = tuple(grid for grid in pair_grids(workspaces, named) if grid.corpus.id in corpora)
    figures = sum(not part.is_text for part in parts)
    return site.Content(on.board.title, count(figures, "figure or table", "figures and tables"), parts, grids)


def of_models(workspaces: Sequence[Path], name: str | None = None) -> Content:
    """Return the scores of a model, or of every model of the workspaces (None).

    Raises `ModelError` where there is no such model, `StoreError` where nothing has scores.
    """
    known = [each.name for each in models.entries(workspaces)]
    if name is not None and name not in known:
        raise ModelError(f"There is no model '{name}' in the library. {did_you_mean(name, known)}")
    grids = tuple(pair_grids(workspaces, None if name is None else [name]))
    if not grids:
        raise StoreError("There are no scores to publish. Compute some first: isogloss run abx.")
    said = count(len({grid.model.name for grid in grids}), "model")
    return site.Content(name or "Scores", said, (), grids)


def publish(content: Content, workspaces: Sequence[Path], folder: Path, progress: Progress) -> None:
    """Write an atlas at `folder`, in the place of one that is there.

    It is written beside, and takes its place in one step: whatever is killed and whenever, readers have the old one or the new,
    and the next build of the same scores goes on with the checkpoints that a killed one has written.
    Raises `StoreError` where something else is there, where something would leave that must not, or on a full disk.
    """
    folder = folder.absolute()
    check_place(folder)
    beside = folder.with_name(BUILDING + resumed.key_of(content, private.refused(workspaces)))
    try:
        _tidy(folder.parent)
        with resumed.held(beside) as alone:
            beside = beside if alone else folder.with_name(f"{BUILDING}{uuid.uuid4().hex[:12]}")
            site.write(content, workspaces, beside, progress)
            _take_place(beside, folder)
            (folder / resumed.LOCK).unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(
            f"The atlas could not be written to {folder} ({error.strerror or error}). Check the place, and its disk's space."
        ) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def zipped(content: Content, workspaces: Sequence[Path], progress: Progress) -> bytes:
    """Return an atlas as a zip of its folder. Raises `StoreError` as `publish` does."""
    buffer = io.BytesIO()
    with tempfile.TemporaryDirectory() as made, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        folder = Path(made)
        try:
            site.write(content, workspaces, folder, progress)
        except OSError as error:
            raise StoreError(f"The atlas could not be written ({error.strerror or error}). Check the disk's space.") from error
        for path in sorted(each for each in folder.rglob("*") if each.is_file()):
            file.write(path, path.relative_to(folder).as_posix())
    return buffer.getvalue()


def check_place(folder: Path) -> None:
    """Raise `StoreError` where an atlas may not be written: over a file, or a folder that holds anything else."""
    if not os.path.lexists(folder):
        return
    if folder.is_symlink() or not folder.is_dir():
        raise StoreError(f"{folder} is there and is no folder. Give another place.")
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir() or path.is_symlink()}
    if not names:
        return
    if not is_atlas(folder):
        raise StoreError(f"{folder} is there and is no atlas of Isogloss. Give a new folder, or an atlas to replace.")
    listed = {line[66:] for line in (folder / site.SUMS).read_text(encoding="utf-8").splitlines()}
    listed |= {site.SUMS, site.HINT, resumed.LOCK}
    if others := sorted(names - listed):
        raise StoreError(
            f"{folder} also holds '{others[0][:80]}', which is not the atlas's. Move it away, or give a new folder."
        )


def is_atlas(folder: Path) -> bool:
    """Return whether a folder says that it is an atlas, and lists its files."""
    try:
        said = parse_json((folder / site.MARK).read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(said, dict) and said.get("isogloss_atlas") == 1 and (folder / site.SUMS).is_file()


def _take_place(beside: Path, folder: Path) -> None:
    """Put a new folder in the place of another, which is then where the new one was."""
    if not folder.exists() or not any(folder.iterdir()):
        if folder.exists():
            folder.rmdir()
        beside.rename(folder)
    elif not _exchange(beside, folder):
        old = folder.with_name(f"{BUILDING}{uuid.uuid4().hex[:12]}")
        folder.rename(old)
        beside.rename(folder)
        shutil.rmtree(old, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two folders' names in one step, where the system can."""
    if sys.platform != "linux":
        return False
    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    return rename is not None and rename(AT, os.fsencode(one), AT, os.fsencode(other), EXCHANGE) == 0


def _tidy(folder: Path) -> None:
    """Remove what killed builds left, a day ago or earlier."""
    for path in folder.glob(f"{BUILDING}*"):
        if time.time() - path.stat().st_mtime > STALE:
            shutil.rmtree(path, ignore_errors=True)


def with_said(
    content: Content, title: str, licence: str, authors: Sequence[str], *, exact: bool = False, sentences: bool = False
) -> Content:
    """Return what is published with what people say of it; an empty title leaves the board's or the model's.

    The scores to download keep all their digits where they are to be `exact`; `sentences` come along of data whose licence
    allows it. Raises `StoreError` where of none it does.
    """
    if sentences and not texts.credits_of(data := data_of(content)):
        why = texts.refusal(data) or "It rests on no sentences that are here."
        raise StoreError(f"{why} Leave sentences out, or import the corpus again with its licence once it is removed.")
    named = replace(content, title=title or content.title, licence=licence, authors=tuple(authors))
    return replace(named, exact=exact, sentences=sentences)


def data_of(content: Content) -> list[texts.Data]:
    """Return the data whose sentences may come along, by consent."""
    of_parts = [each for part in content.parts if not part.is_text for each in part.rests_on.corpora]
    data = [*texts.said_of(grid.corpus for grid in content.grids), *of_parts]
    return list({each["id"]: each for each in data}.values())
