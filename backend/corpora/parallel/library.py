"""The corpora that a workspace keeps: `<workspace>/corpora/<content hash>/corpus.parquet` and `entry.json`.

The folder's name is a hash of the table's content, so the same rows are the same corpus whatever they were called or read from.
The entry is written last and removed first: a corpus without one does not exist.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pydantic import BaseModel

from backend.corpora.parallel.corpus import SCHEMA, ParallelCorpus, ReadReport, Skipped
from backend.corpora.shared import kept
from backend.files import publish

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MAX_NAME = kept.MAX_NAME


class KeptLanguage(BaseModel, frozen=True):
    """A language of a saved corpus."""

    tag: str
    source_name: str
    sentences: int
    characters: int = 0
    """Of all its sentences together; for estimates of what a computation will cost."""


class CorpusEntry(kept.Entry):
    """What is known of a saved corpus without reading its rows."""

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
    source: str | None = None

    @property
    def tags(self) -> list[str]:
        """List the BCP-47 tags of the languages, in the entry's order."""
        return [known.tag for known in self.languages]


def content_id(table: pa.Table) -> str:
    """24 hex digits of the rows of a corpus (`SCHEMA`): the same for equal tables, however they are chunked or stored."""
    return kept.content_id(table, SCHEMA.names)


def keep(
    corpus: ParallelCorpus, name: str, workspace: Path, *, source: str | None = None, licence: str | None = None
) -> CorpusEntry:
    """Keep a corpus under a name. Content that is saved already stays as it is, under the name it has: its entry is returned.

    `source` defaults to the report's. Raises `CorpusError` for a name that is empty, too long or taken by another corpus,
    `StoreError` where the workspace cannot be written.
    """
    name = kept.checked_name(name, "corpus")
    entry = _entry(corpus, name, source or corpus.report.source, licence)
    return SHELF.keep(entry, workspace, lambda path: _write(corpus.table, path))


def load(corpus_id: str, workspaces: Sequence[Path]) -> ParallelCorpus:
    """Return a saved corpus, from the first workspace that has it. Its content is checked against its id.

    Raises `CorpusError` where no workspace has it, `StoreError` where its files are damaged.
    """
    entry, table = SHELF.load(corpus_id, workspaces)
    names = {known.tag: known.source_name for known in entry.languages}
    more = entry.skipped - len(entry.skipped_rows)
    return ParallelCorpus(table, ReadReport(entry.format, names, entry.skipped_rows, more, entry.warnings, entry.source))


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
        source=source,
        **kept.reading_fields(corpus.report, licence),
    )


def _write(table: pa.Table, path: Path) -> None:
    with publish(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")


def _read_table(path: Path, entry: CorpusEntry) -> pa.Table | None:
    """Return the rows, or None where the file is missing, damaged, or not what the entry was made from."""
    try:
        table = pq.read_table(path, memory_map=False)
    except (OSError, pa.ArrowException):
        return None
    return table if table.schema.remove_metadata().equals(SCHEMA) and content_id(table) == entry.id else None


SHELF = kept.Shelf("corpus", "corpora", "corpus.parquet", CorpusEntry, _read_table)
entries, problems, rename, remove = SHELF.entries, SHELF.problems, SHELF.rename, SHELF.remove
