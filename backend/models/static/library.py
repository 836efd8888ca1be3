"""The sets of static word vectors that a workspace keeps: `<workspace>/static_vectors/<fingerprint>/entry.json`.

A set has one `.vec` file a language, their vectors in one space. The files stay where the operator has them: the entry says
where, and what was in them. The same files in the same languages are the same set under any name.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ValidationError

from isogloss.backend import people
from isogloss.backend.errors import ModelError, StoreError, did_you_mean
from isogloss.backend.files import CONTENT_ID, digest, publish_json
from isogloss.backend.models.files.fingerprint import cache_file, file_hash
from isogloss.backend.models.static import vectors as static_vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

FOLDER, ENTRY = "static_vectors", "entry.json"
MAX_NAME = 120


class StaticFile(BaseModel, frozen=True):
    """One language's file."""

    path: str
    """Absolute; in `entry.json` relative to the workspace where the file lies in it, so that a workspace can be moved."""
    words: int
    bytes: int
    content: str
    """24 hex digits of all its bytes."""
    note: str | None = None
    """A sentence where lines were left out, or words are fewer than the file promises."""

    @property
    def shown(self) -> str:
        """What errors and pages call it."""
        return Path(self.path).name


class StaticSet(BaseModel, frozen=True):
    """What is known of a set of static vectors without reading them."""

    fingerprint: str
    """24 hex digits of what is in the files, by language. Keys every score."""
    name: str
    """Shown to people, unique in a workspace; never used as a path."""
    dims: int
    files: dict[str, StaticFile]
    """By BCP-47 tag, in alphabetical order."""

    @property
    def languages(self) -> tuple[str, ...]:
        """List the BCP-47 tags, in alphabetical order."""
        return tuple(self.files)

    def language(self, tag: str) -> str | None:
        """The language whose vectors serve `tag`: itself, or the only one of its primary language (`zh` for `zh-Hans`)."""
        if tag in self.files:
            return tag
        alike = [each for each in self.files if each.split("-")[0] == tag.split("-")[0]]
        return alike[0] if len(alike) == 1 else None


def add(
    name: str,
    files: Mapping[str, Path],
    workspace: Path,
    *,
    progress: Callable[[str, float], None] = lambda _language, _share: None,
) -> StaticSet:
    """Read the files once, whole, and keep the list; nothing is copied.

    Files kept already keep their scores: their set takes the name and the paths given now. `files` are paths on this machine by
    BCP-47 tag. Raises `ModelError` for a bad or taken name, no files, files that cannot be read and vectors of several sizes;
    `StoreError` where the workspace cannot be written, `RefusedError` where whoever asks may not.
    """
    people.require("import")
    name = _checked_name(name)
    if not files:
        raise ModelError("No file was given. Name a .vec file for each language, such as en=wiki.multi.en.vec.")
    static_files: dict[str, StaticFile] = {}
    sizes: dict[str, int] = {}
    for tag in sorted(files):
        path = files[tag].expanduser().resolve()
        report = static_vectors.read(path, progress=partial(progress, tag)).report
        sizes[tag] = report.dims
        static_files[tag] = StaticFile(
            path=str(path), words=report.words, bytes=path.stat().st_size, content=_content(path, workspace), note=report.note
        )
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{tag} {dims}" for tag, dims in sizes.items())
        raise ModelError(f"The vectors have several sizes: {listed}. Give files that were aligned with each other.")
    fingerprint = digest(["static", {tag: file.content for tag, file in static_files.items()}])
    kept = StaticSet(fingerprint=fingerprint, name=name, dims=next(iter(sizes.values())), files=static_files)
    return _keep(kept, workspace)


def rename(fingerprint: str, name: str, workspace: Path) -> StaticSet:
    """Give a set that `workspace` keeps another name; its fingerprint, and so its scores, stay as they are.

    Raises `ModelError` where it does not keep them and for a bad or taken name, `StoreError` where it cannot be written,
    `RefusedError` where whoever asks may not.
    """
    people.require("rename")
    kept = load_entry(fingerprint, [workspace])
    return _keep(kept.model_copy(update={"name": _checked_name(name)}), workspace)


def entries(workspaces: Sequence[Path]) -> list[StaticSet]:
    """Return the kept sets of several workspaces, by name; one that two workspaces have is taken from the first.

    An entry that cannot be read is left out here and named by `problems`.
    """
    by_fingerprint: dict[str, StaticSet] = {}
    for workspace in workspaces:
        for path in _files(workspace):
            if (kept := _read(path, workspace)) is not None:
                by_fingerprint.setdefault(kept.fingerprint, kept)
    return sorted(by_fingerprint.values(), key=lambda kept: (kept.name.casefold(), kept.fingerprint))


def problems(workspaces: Sequence[Path]) -> list[str]:
    """Return a sentence for each entry that cannot be read, and for each file that is no longer there."""
    notes = []
    for workspace in workspaces:
        for path in _files(workspace):
            kept = _read(path, workspace)
            if kept is None:
                notes.append(f"The entry of vectors {path.parent.name} is damaged. Add the vectors again.")
                continue
            gone = [file.shown for file in kept.files.values() if not Path(file.path).is_file()]
            if gone:
                notes.append(f"'{kept.name}': {', '.join(gone)} is no longer where it was. Add the vectors again.")
    return notes


def load_entry(fingerprint: str, workspaces: Sequence[Path]) -> StaticSet:
    """Return the kept set of a fingerprint. Raises `ModelError` where there is none."""
    found = entries(workspaces)
    for kept in found:
        if kept.fingerprint == fingerprint:
            return kept
    hint = "Choose some that are." if found else "Add some with `isogloss vectors add`."
    raise ModelError(f"The vectors {fingerprint[:40]!r} are not in the library. {hint}")


def find_set(name: str, workspaces: Sequence[Path]) -> StaticSet:
    """Return the kept set called `name`. Raises `ModelError` where there is none."""
    found = entries(workspaces)
    for kept in found:
        if kept.name.casefold() == name.casefold():
            return kept
    hint = did_you_mean(name, [kept.name for kept in found]) if found else "Add them with `isogloss vectors add`."
    raise ModelError(f"There are no vectors '{name}' in the library. {hint}")


def checked_file(kept: StaticSet, language: str, workspace: Path) -> Path:
    """Return the path of one language's file, which holds what it held when it was added.

    A file whose size and times are as they were is not read again. Raises `ModelError` where it is gone or changed.
    """
    file = kept.files[language]
    path = Path(file.path)
    try:
        same = path.stat().st_size == file.bytes and _content(path, workspace) == file.content
    except OSError as error:
        raise ModelError(
            f"{file.shown} of '{kept.name}' cannot be read ({error.strerror}). Put it back, or add the vectors again."
        ) from error
    if not same:
        raise ModelError(f"{file.shown} of '{kept.name}' has changed since it was added. Add the vectors again.")
    return path


def remove(fingerprint: str, workspace: Path) -> None:
    """Forget a set; its files stay where they are, and so do the scores computed from them. One that is not there is no error.

    Raises `StoreError` where the workspace cannot be written, `RefusedError` where whoever asks may not.
    """
    people.require("remove")
    path = _entry_path(fingerprint, workspace)
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(
            f"The vectors could not be removed ({error.strerror}). Check that the workspace is writable; the demo's is not."
        ) from error
    with suppress(OSError):  # another file lies there
        path.parent.rmdir()


def _checked_name(name: str) -> str:
    """Return the name with single spaces. Raises `ModelError` where it is empty, too long or not printable."""
    name = " ".join(name.split())
    if not 1 <= len(name) <= MAX_NAME or not name.isprintable():
        raise ModelError(f"Vectors need a name of 1 to {MAX_NAME} printable characters. Choose another name.")
    return name


def _keep(kept: StaticSet, workspace: Path) -> StaticSet:
    """Publish the entry. Raises `ModelError` where other vectors have its name."""
    others = (other for other in entries([workspace]) if other.fingerprint != kept.fingerprint)
    if any(other.name.casefold() == kept.name.casefold() for other in others):
        raise ModelError(f"Other vectors are called '{kept.name}'. Choose another name, or remove those first.")
    publish_json(_entry_path(kept.fingerprint, workspace), _moved(kept, workspace.resolve(), relative=True).model_dump())
    return kept


def _content(path: Path, workspace: Path) -> str:
    return file_hash(path, cache_file(workspace))


def _entry_path(fingerprint: str, workspace: Path) -> Path:
    if not CONTENT_ID.fullmatch(fingerprint):
        raise ModelError(f"{fingerprint[:40]!r} names no vectors. Fingerprints are 24 hexadecimal digits.")
    return workspace / FOLDER / fingerprint / ENTRY


def _files(workspace: Path) -> list[Path]:
    return [path for path in sorted((workspace / FOLDER).glob(f"*/{ENTRY}")) if CONTENT_ID.fullmatch(path.parent.name)]


def _read(path: Path, workspace: Path) -> StaticSet | None:
    try:
        kept = StaticSet.model_validate_json(path.read_bytes())
        return _moved(kept, workspace.resolve(), relative=False) if kept.fingerprint == path.parent.name else None
    except (OSError, ValueError, ValidationError):
        return None


def _moved(kept: StaticSet, root: Path, *, relative: bool) -> StaticSet:
    """The set with the paths that lie in the workspace written relative to it, or back. ValueError where one leads out."""
    files = {}
    for tag, file in kept.files.items():
        path = Path(file.path)
        if relative and path.is_relative_to(root):
            path = path.relative_to(root)
        elif not relative and not path.is_absolute():
            path = (root / path).resolve()
            if not path.is_relative_to(root):
                raise ValueError("a relative path leads out of its workspace")
        files[tag] = file.model_copy(update={"path": path.as_posix()})
    return kept.model_copy(update={"files": files})
