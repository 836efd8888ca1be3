"""One declaration for each kind of data that people bring, of which its commands, its shelf and its documentation are made.

A kind lies in a workspace as `<workspace>/<folder>/<content hash>/`, a table and `entry.json`. The entry is written last and
removed first: content without one does not exist. The kinds are listed in `backend.corpora.kinds`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

import pyarrow as pa
from pydantic import ValidationError

from isogloss.backend import listing, people
from isogloss.backend.corpora.parallel.corpus import LeftOut
from isogloss.backend.corpora.shared.formats import Format, Layout
from isogloss.backend.corpora.shared.kept import ENTRY, ID, LISTED, Entry, KindName, check_free, checked_id, checked_name
from isogloss.backend.errors import CorpusError, StoreError
from isogloss.backend.files import formerly, publish_json

E = TypeVar("E", bound=Entry)
C = TypeVar("C")


@dataclass(frozen=True)
class Kind(Generic[E, C]):
    """How content of one kind (`C`) is kept with its entry (`E`), read back, and named to people."""

    name: KindName
    folder: str
    table: str
    """The file in the folder of an entry."""
    entry: type[E]
    describe: Callable[..., E]
    """Make the entry of some content; keyword arguments are the fields that entries of every kind have."""
    write: Callable[[C, Path], object]
    """Write content to a path."""
    read: Callable[[Path, E], pa.Table | None]
    """Return the table at a path, or None where it is missing, damaged or not what the entry was made from."""
    restore: Callable[[E, pa.Table, Path], C]
    """Make the content of an entry, its table and the folder they lie in."""

    group: str
    """The command line's commands: `corpus` for `corpus import`."""
    several: str
    """Its plural."""
    what: str
    """What it is, for README."""
    about: str
    """What its commands do, for their help."""
    formats: Sequence[Layout | Format[Any]]
    """What its reader recognises: the only list of them that there is."""
    columns: Mapping[str, Callable[[E], object]]
    """What `list` shows of an entry behind its name and id, under these headings."""
    summary: Callable[[E], str]
    """An entry's size in words, for the command line."""

    looks: Literal["Files", "Lines", "Rows"] = "Files"
    """What the examples of its formats show."""
    formats_note: str = ""
    """What holds of all formats, in Markdown."""
    full_name: str = ""
    """Its name where the short one could mean something else."""
    scored: Literal["from", "with"] | None = "from"
    """How scores are computed with it, which stay after its removal; None where none are."""
    row: str = "row"
    """What is left out of its files one by one."""
    rows: str = "rows"
    report: Callable[[C], LeftOut] = field(default=attrgetter("report"))
    """What its reader left out and found odd."""
    complete: Callable[[E, C, Path], E] = field(default=lambda entry, _content, _folder: entry)
    """Add to what is kept, in its folder, what the same content has now and lacked then."""
    lacks: Callable[[E, E], bool] = lambda _kept, _now: False
    """Return whether a kept entry lacks what the entry of the same content has now, so that it is worth keeping again."""
    beside: tuple[str, ...] = ()
    """Other files that may lie beside the table, and go with it."""

    def described(self, content: C, name: str, licence: str | None = None) -> E:
        """Return the entry that the content would have. Raises `CorpusError` for a name that is empty or too long."""
        report = self.report(content)
        return self.describe(
            content,
            name=checked_name(name, self.name),
            warnings=report.warnings,
            skipped=report.skipped_count,
            skipped_rows=report.skipped[:LISTED],
            licence=licence,
            created_at=datetime.now(UTC),
        )

    def keep(self, content: C, name: str, workspace: Path, *, licence: str | None = None) -> E:
        """Keep content under a name. What is saved already stays under the name it has: its entry is returned.

        Raises `CorpusError` for a name that is empty, too long or that another of the kind has, `StoreError` where the
        workspace cannot be written, `RefusedError` where whoever asks may not.
        """
        people.require("import")
        entry = self.described(content, name, licence).model_copy(update={"by": people.now().name})
        folder = workspace / self.folder / entry.id
        known = {each.id: each for each in self.entries([workspace])}
        if entry.id in known and self.read(folder / self.table, known[entry.id]) is not None:
            return self.complete(known[entry.id], content, folder)
        check_free(entry.name, entry.id, list(known.values()), self.name)
        self.write(content, folder / self.table)
        publish_json(folder / ENTRY, entry.model_dump(mode="json"))
        return entry

    def entries(self, workspaces: Sequence[Path]) -> list[E]:
        """Return the kept things of several workspaces, by name; one that two workspaces have is taken from the first.

        An entry that cannot be read is left out here and named by `problems`.
        """
        return list(listing.once((self.folder, *workspaces), lambda: self._entries(workspaces)))

    def _entries(self, workspaces: Sequence[Path]) -> list[E]:
        by_id: dict[str, E] = {}
        for workspace in workspaces:
            for path in self._entry_files(workspace):
                entry = self._read_entry(path)
                if entry is not None:
                    by_id.setdefault(entry.id, entry)
        return sorted(by_id.values(), key=lambda e: (e.name.casefold(), e.id))

    def problems(self, workspaces: Sequence[Path]) -> list[str]:
        """A sentence on every kept thing that cannot be used: damaged entries, tables whose content is not what it was."""
        notes, kind = [], self.name
        for workspace in workspaces:
            for path in self._entry_files(workspace):
                entry = self._read_entry(path)
                if entry is None:
                    notes.append(f"The entry of {kind} {path.parent.name} is damaged. Import the {kind} again.")
                elif not entry.names_only and self.read(path.parent / self.table, entry) is None:
                    notes.append(f"The {kind} '{entry.name}' is damaged or missing on disk. Remove it and import it again.")
        return notes

    def load(self, entry_id: str, workspaces: Sequence[Path]) -> C:
        """Return kept content, from the first workspace that has it. It is checked against its id.

        Raises `CorpusError` where no workspace has it or only its names, `StoreError` where its files are damaged.
        """
        named = None
        for workspace in workspaces:
            folder = workspace / self.folder / checked_id(entry_id, self.name)
            entry = self._read_entry(folder / ENTRY)
            if entry is None or entry.names_only:
                named = entry or named
                continue
            table = self.read(folder / self.table, entry)
            if table is None:
                raise StoreError(f"The {self.name} '{entry.name}' is damaged on disk. Remove it and import it again.")
            return self.restore(entry, table, folder)
        if named is not None:
            raise CorpusError(
                f"The texts of '{named.name}' are not part of the demo, only its names and scores.",
                remedy="Import the same data into the Library to read them or to compute more.",
            )
        raise CorpusError(
            f"There is no {self.name} {entry_id}.", remedy="Choose one that is in the library, or import it again."
        )

    def rename(self, entry_id: str, name: str, workspace: Path) -> E:
        """Give a kept thing another name.

        Raises `CorpusError` for a bad or taken name and an unknown id, `RefusedError` where whoever asks may not.
        """
        people.require("rename")
        folder = workspace / self.folder / checked_id(entry_id, self.name)
        entry = self._read_entry(folder / ENTRY)
        if entry is None:
            raise CorpusError(
                f"There is no {self.name} {entry_id} in this workspace.", remedy="Choose one that is in the library."
            )
        name = checked_name(name, self.name)
        check_free(name, entry_id, self.entries([workspace]), self.name)
        renamed = entry.model_copy(update={"name": name, "formerly": formerly(entry.name, entry.formerly, name)})
        publish_json(folder / ENTRY, renamed.model_dump(mode="json"))
        return renamed

    def remove(self, entry_id: str, workspace: Path) -> None:
        """Delete a kept thing, its entry first; what was computed from it stays. What is not there is no error.

        Raises `StoreError` where the workspace cannot be written, `RefusedError` where whoever asks may not.
        """
        people.require("remove")
        folder = workspace / self.folder / checked_id(entry_id, self.name)
        listing.look_again()
        try:
            for name in (ENTRY, self.table, *self.beside):
                (folder / name).unlink(missing_ok=True)
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()
        except OSError as error:
            raise StoreError(
                f"The {self.name} could not be removed ({error.strerror}). "
                "Check that the workspace is writable; the demo's is not."
            ) from error

    def _entry_files(self, workspace: Path) -> list[Path]:
        """Return the entries of a workspace, in the order of their ids."""
        return [p for p in sorted((workspace / self.folder).glob(f"*/{ENTRY}")) if ID.fullmatch(p.parent.name)]

    def _read_entry(self, path: Path) -> E | None:
        try:
            entry = self.entry.model_validate_json(path.read_bytes())
        except (OSError, ValidationError):
            return None
        return entry if entry.id == path.parent.name else None
