"""Copy a checkpoint into the workspace before it is scored: its training may delete or replace it at any moment.

A copy, not a hard link: `save_total_limit` deletes a name, which a link would survive, but a training that begins anew in the
same folder writes over the same file, and with it over every link. The copy's content is what is hashed and what is scored.
Where the file system can share blocks (btrfs, XFS), it takes no space.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING

from isogloss.backend.errors import ModelError
from isogloss.backend.files import not_written
from isogloss.backend.models.files import complete
from isogloss.backend.models.library.roots import is_within

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

CHUNK = 1 << 30
"""Bytes at a time."""


def take(folder: Path, into: Path, *, allow_pickle: bool = False, roots: Sequence[Path] | None = None) -> Path:
    """Copy what is read of the checkpoint in `folder` to a folder of the same name in `into`, which is new; return it.

    Raises `ModelError` where the checkpoint changed or vanished meanwhile, is not whole, or has files outside the `roots`;
    `StoreError` where the copy cannot be written. Nothing is left behind then.
    """
    copied = into / folder.name
    try:
        before = complete.mark(folder)
        paths = complete.read_files(folder, allow_pickle=allow_pickle)
        if any(not is_within(path, roots) for path in paths):
            raise ModelError(f"'{folder.name}' has links out of the folders that pages may read models from.")
        copied.mkdir(parents=True)
        for path in paths:
            copy_file(path, copied / path.name)
        if complete.mark(folder) != before:
            raise ModelError(f"'{folder.name}' changed while it was copied.")
        complete.check_whole(copied, allow_pickle=allow_pickle)
    except FileNotFoundError as error:
        drop(into)
        raise ModelError(f"'{folder.name}' vanished while it was copied.") from error
    except OSError as error:
        drop(into)
        raise not_written(copied, error, "workspace", "it is tried again.") from error
    except ModelError:
        drop(into)
        raise
    return copied


def copy_file(source: Path, target: Path) -> None:
    """Copy a file's bytes; the system copies them by itself where it can, and shares blocks where the file system does."""
    with open(source, "rb") as read, open(target, "xb") as write:
        # Linux alone has it, and not between all file systems: the rest is copied by hand.
        with suppress(OSError, AttributeError):
            while os.copy_file_range(read.fileno(), write.fileno(), CHUNK):
                pass
        # By what is written, not by what was read: both offsets move together.
        read.seek(write.seek(0, os.SEEK_END))
        shutil.copyfileobj(read, write)


def drop(into: Path) -> None:
    """Remove a copy, as far as it can be removed."""
    shutil.rmtree(into, ignore_errors=True)
