"""Data set folders, as `datasets.save_to_disk` leaves them: the Arrow files of one corpus, in the order that they say.

Nothing but that order is taken from such a folder's JSON, and its Arrow files are read as any other (`columnar`): no code, no
pickle, no feature of `datasets` is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from isogloss.backend.corpora.emergent.columnar import rows_of
from isogloss.backend.corpora.shared.inputs import InputFile, printable
from isogloss.backend.errors import CorpusError
from isogloss.backend.files import parse_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

STATE = "state.json"
"""Names a folder's Arrow files, in order."""
INFO = "dataset_info.json"
PARTS = "dataset_dict.json"
"""Of a folder of several data sets, such as `train` and `test`: their names."""
MOST_BYTES = 16 << 20
"""Of a folder's JSON."""


@dataclass(frozen=True)
class Group:
    """Files that are one corpus."""

    files: list[InputFile]
    """In the order in which they are read."""
    state: InputFile | None = None
    """What says so, where they are a data set's."""


def of_path(path: Path) -> list[InputFile]:
    """Return the file at a path, or the Arrow files of a data set folder. Raises `CorpusError` where it is neither."""
    if path.is_file():
        return [InputFile(path.name, path)]
    if not path.is_dir():
        remedy = "Give the path of a corpus's file, or of a data set folder."
        raise CorpusError(f"There is no file '{path.name}'.", remedy=remedy)
    folder = path.resolve()
    own = [each for each in folder.iterdir() if each.is_file() and each.resolve().parent == folder]  # no link to elsewhere
    there = {each.name: InputFile(f"{folder.name}/{each.name}", each) for each in own}
    if PARTS in there:
        parts = sorted(each.parent.name for each in folder.glob(f"*/{STATE}"))
        remedy = f"Give the folder of one{f', such as {folder.name}/{parts[0]}' if parts else ''}."
        raise CorpusError("It is a folder of several data sets.", remedy=remedy, file=folder.name)
    if STATE not in there:
        remedy = "Give a folder that `save_to_disk` wrote, or a file."
        raise CorpusError(f"The folder is no data set: it has no {STATE}.", remedy=remedy, file=folder.name)
    return _in_order(there[STATE], there)


def groups(files: Sequence[InputFile]) -> list[Group]:
    """Return files that were dropped together as the corpora that they are: a data set's as one, each other by itself.

    Raises `CorpusError` where a data set lacks a file, or two have files of the same name.
    """
    states = [file for file in files if file.base == STATE]
    told = {file.name for file in states} | {f"{_folder(file)}{name}" for file in states for name in (INFO, PARTS)}
    there = {file.name: file for file in files}
    if states and len(there) < len(files):
        problem = "Two of the files have the same name, so which data set each is of is not clear."
        raise CorpusError(problem, remedy="Drop one data set at a time.")
    groups_found = []
    for state in states:
        own = {file.name.removeprefix(_folder(state)): file for file in files if file.name.startswith(_folder(state))}
        groups_found.append(Group(_in_order(state, own), state))
        told |= {file.name for file in groups_found[-1].files}
    return [*groups_found, *(Group([file]) for file in files if file.name not in told)]


def _folder(state: InputFile) -> str:
    return state.name.removesuffix(STATE)


def _in_order(state: InputFile, there: Mapping[str, InputFile]) -> list[InputFile]:
    """Return the data set's files that have rows, in the order of its state; all where none has."""
    names = _names(state)
    lacking = [name for name in names if name not in there]
    if lacking:
        raise CorpusError(
            f"It names {len(names):,} Arrow file{'s' * (len(names) > 1)}, but '{printable(lacking[0])}' is not there.",
            remedy="Give all files of the data set, themselves and not links to them.",
            file=state.name,
        )
    found = [there[name] for name in names]
    return [file for file in found if any(block.rows for block in rows_of(file))] or found


def _names(state: InputFile) -> list[str]:
    """Return what a state calls its files: names alone, never paths."""
    damaged = CorpusError(f"It is no {STATE} of a data set.", remedy="Save the data set again.", file=state.name)
    if state.path.stat().st_size > MOST_BYTES:
        raise damaged
    try:
        told = parse_json(state.path.read_bytes())
        names = [each["filename"] for each in told["_data_files"]]
    except (ValueError, KeyError, TypeError) as error:
        raise damaged from error
    if not names:
        raise CorpusError("The data set is empty.", remedy="Leave it out, or give the right one.", file=state.name)
    if len(set(map(str, names))) < len(names):
        raise damaged
    if told.get("_indices_data_files") or told.get("_indices_files"):
        raise CorpusError(
            "An old version of `datasets` wrote it with an order of rows apart.",
            remedy="Save it again with a recent one.",
            file=state.name,
        )
    for name in names:
        if not isinstance(name, str) or name in ("", ".", "..") or "/" in name or "\\" in name:
            raise CorpusError(
                f"It names a file outside its folder: '{printable(str(name))}'.", remedy="Save it again.", file=state.name
            )
    return names
