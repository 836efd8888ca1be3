"""An atlas from a zip: of all that is in it, what an atlas has and nothing else, under names that are made here."""

from __future__ import annotations

import tempfile
import zipfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.backend.atlas.imported import MOST_BYTES, MOST_FILES, TAKEN, take
from isogloss.backend.atlas.inside import INSIDE
from isogloss.backend.atlas.site import MARK, SUMS
from isogloss.backend.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from isogloss.backend.atlas.imported import Imported

CHUNK = 1 << 20
NONE = "This is no zip of an atlas. Zip the folder that holds its index.html."


def take_zip(path: Path, workspace: Path) -> Imported:
    """Keep the scores of an atlas that is zipped, with the folder that it lies in or without: see `imported.take`.

    Raises `StoreError` as that does, where it is no such zip, and where it unpacks to more than an atlas may have.
    """
    with _unpacked(path) as site:
        return take(site, workspace)


@contextmanager
def _unpacked(path: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as made:
        try:
            with zipfile.ZipFile(path) as file:
                _unpack(file, Path(made))
        except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
            raise StoreError(NONE) from error
        yield Path(made)


def _unpack(file: zipfile.ZipFile, folder: Path) -> None:
    """Write the mark, the list and the files that Isogloss reads; counted while they are unpacked, whatever the zip says."""
    marks = [each for each in file.namelist() if each == MARK or each.endswith(f"/{MARK}")]
    if not marks:
        raise StoreError(NONE)
    root = min(marks, key=len).removesuffix(MARK)
    wanted = {each.filename.removeprefix(root): each for each in file.infolist() if each.filename.startswith(root)}
    names = [name for name in wanted if name in (MARK, SUMS) or _is_taken(name)]
    if len(names) > MOST_FILES:
        raise StoreError(f"The atlas was not imported: it has more than {MOST_FILES:,} files of scores.")
    left = MOST_BYTES
    for name in names:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with file.open(wanted[name]) as source, open(target, "wb") as written:
            while chunk := source.read(CHUNK):
                left -= len(chunk)
                if left < 0:
                    raise StoreError(f"The atlas was not imported: unpacked it is larger than {MOST_BYTES >> 20:,} MB.")
                written.write(chunk)


def _is_taken(name: str) -> bool:
    return name.startswith(f"{INSIDE}/") and TAKEN.fullmatch(name.removeprefix(f"{INSIDE}/")) is not None
