"""The corpora that a workspace keeps: `<workspace>/corpora/<content hash>/corpus.parquet` and `entry.json`.

The folder's name is a hash of the table's content, so the same rows are the same corpus whatever they were called or read from.
The entry is written last and removed first: a corpus without one does not exist.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pydantic import BaseModel, ConfigDict, ValidationError

from backend.corpora import kept
from backend.corpora.kept import ENTRY
from backend.corpora.parallel import SCHEMA, ParallelCorpus, ReadReport, Skipped
from backend.errors import CorpusError, StoreError
from backend.files import publish, publish_json

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FOLDER, TABLE = "corpora", "corpus.parquet"
MAX_NAME = kept.MAX_NAME
LISTED = 100
"""How many skipped rows an entry lists."""


class KeptLanguage(BaseModel):
    """A language of a kept corpus."""

    model_config = ConfigDict(frozen=True)

    tag: str
    source_name: str
    sentences: int
    characters: int = 0
    """Of all its sentences together; for estimates of what a computation will cost."""


class CorpusEntry(BaseModel):
    """What is known of a kept corpus without reading its rows."""

    model_config = ConfigDict(frozen=True)

    id: str
    """24 hex digits, from the table's content."""
    name: str
    """Shown to people, unique in a workspace; never used as a path."""
    format: str
    languages: tuple[KeptLanguage, ...]
    sentences: int
    """Different sentences, counting one for all its translations."""
    rows: int
    complete: bool
    """Whether every language has every sentence."""
    skipped: int
    skipped_rows: tuple[Skipped, ...] = ()
    """The first of them, as in the reader's report."""
    warnings: tuple[str, ...] = ()
    source: str | None = None
    licence: str | None = None
    created_at: datetime

    @property
    def tags(self) -> list[str]:
        return [known.tag for known in self.languages]


def content_id(table: pa.Table) -> str:
    """24 hex digits of the rows of a corpus (`SCHEMA`): the same for equal tables, however they are chunked or stored."""
    return kept.content_id(table, SCHEMA.names)


def keep(
    corpus: ParallelCorpus, name: str, workspace: Path, *, source: str | None = None, licence: str | None = None
) -> CorpusEntry:
    """Keep a corpus under a name. Content that is kept already stays as it is, under the name it has: its entry is returned.

    `source` defaults to the report's. Raises `CorpusError` for a name that is empty, too long or taken by another corpus,
    `StoreError` where the workspace cannot be written.
    """
    name = kept.checked_name(name, "corpus")
    entry = _entry(corpus, name, source or corpus.report.source, licence)
    folder = workspace / FOLDER / entry.id
    known = {e.id: e for e in entries([workspace])}
    if entry.id in known and _intact(folder / TABLE, entry.id):
        return known[entry.id]
    kept.check_free(name, entry.id, known.values(), "corpus")
    with publish(folder / TABLE) as temporary:
        pq.write_table(corpus.table, temporary, compression="zstd")
    _write(entry, folder)
    return entry


def entries(workspaces: Sequence[Path]) -> list[CorpusEntry]:
    """The kept corpora of several workspaces, by name; one that two workspaces have is taken from the first.

    An entry that cannot be read is left out here and named by `problems`.
    """
    found: dict[str, CorpusEntry] = {}
    for workspace in workspaces:
        for path in kept.entry_files(workspace / FOLDER):
            entry = _read_entry(path)
            if entry is not None:
                found.setdefault(entry.id, entry)
    return sorted(found.values(), key=lambda e: (e.name.casefold(), e.id))


def problems(workspaces: Sequence[Path]) -> list[str]:
    """A sentence on every kept corpus that cannot be used: damaged entries, tables whose content is not what it was."""
    notes = []
    for workspace in workspaces:
        for path in kept.entry_files(workspace / FOLDER):
            folder = path.parent
            if _read_entry(path) is None:
                notes.append(f"The entry of corpus {folder.name} is damaged. Import the corpus again.")
            elif not _intact(folder / TABLE, folder.name):
                notes.append(f"The table of corpus {folder.name} is damaged or missing. Import the corpus again.")
    return notes


def load(corpus_id: str, workspaces: Sequence[Path]) -> ParallelCorpus:
    """A kept corpus, from the first workspace that has it. Its content is checked against its id.

    Raises `CorpusError` where no workspace has it, `StoreError` where its files are damaged.
    """
    for workspace in workspaces:
        folder = workspace / FOLDER / kept.checked_id(corpus_id, "corpus")
        entry = _read_entry(folder / ENTRY)
        if entry is None:
            continue
        table = _read_table(folder / TABLE)
        if table is None or content_id(table) != corpus_id:
            raise StoreError(f"The corpus '{entry.name}' is damaged on disk. Remove it and import it again.")
        names = {known.tag: known.source_name for known in entry.languages}
        more = entry.skipped - len(entry.skipped_rows)
        return ParallelCorpus(table, ReadReport(entry.format, names, entry.skipped_rows, more, entry.warnings, entry.source))
    raise CorpusError(f"There is no corpus {corpus_id}.", remedy="Choose one that is in the library, or import it again.")


def rename(corpus_id: str, name: str, workspace: Path) -> CorpusEntry:
    """Give a kept corpus another name. Raises `CorpusError` for a bad or taken name and an unknown corpus."""
    folder = workspace / FOLDER / kept.checked_id(corpus_id, "corpus")
    entry = _read_entry(folder / ENTRY)
    if entry is None:
        raise CorpusError(f"There is no corpus {corpus_id} in this workspace.", remedy="Choose one that is in the library.")
    name = kept.checked_name(name, "corpus")
    kept.check_free(name, corpus_id, entries([workspace]), "corpus")
    renamed = entry.model_copy(update={"name": name})
    _write(renamed, folder)
    return renamed


def remove(corpus_id: str, workspace: Path) -> None:
    """Delete a kept corpus; what was computed from it stays. One that is not there is no error.

    Raises `StoreError` where the workspace cannot be written.
    """
    kept.delete(workspace / FOLDER / kept.checked_id(corpus_id, "corpus"), TABLE, "corpus")


def _entry(corpus: ParallelCorpus, name: str, source: str | None, licence: str | None) -> CorpusEntry:
    counts = {row["values"]: row["counts"] for row in pc.value_counts(corpus.table["language"]).to_pylist()}
    sizes = (
        corpus.table.append_column("size", pc.utf8_length(corpus.table["text"]))
        .group_by("language")
        .aggregate([("size", "sum")])
    )
    characters = dict(zip(sizes["language"].to_pylist(), sizes["size_sum"].to_pylist(), strict=True))
    names, sentences = corpus.report.source_names, corpus.sentences
    return CorpusEntry(
        id=content_id(corpus.table),
        name=name,
        format=corpus.report.format,
        languages=tuple(
            KeptLanguage(tag=t, source_name=names.get(t, t), sentences=counts[t], characters=characters[t] or 0)
            for t in sorted(counts)
        ),
        sentences=sentences,
        rows=corpus.table.num_rows,
        complete=all(count == sentences for count in counts.values()),
        skipped=corpus.report.skipped_count,
        skipped_rows=corpus.report.skipped[:LISTED],
        warnings=corpus.report.warnings,
        source=source,
        licence=licence,
        created_at=datetime.now(UTC),
    )


def _write(entry: CorpusEntry, folder: Path) -> None:
    publish_json(folder / ENTRY, entry.model_dump(mode="json"))


def _read_entry(path: Path) -> CorpusEntry | None:
    try:
        entry = CorpusEntry.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
    return entry if entry.id == path.parent.name else None


def _read_table(path: Path) -> pa.Table | None:
    try:
        table = pq.read_table(path, memory_map=False)
    except (OSError, pa.ArrowException):
        return None
    return table if table.schema.remove_metadata().equals(SCHEMA) else None


def _intact(path: Path, corpus_id: str) -> bool:
    table = _read_table(path)
    return table is not None and content_id(table) == corpus_id
