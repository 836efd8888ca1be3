"""The corpora that a workspace keeps: `<workspace>/corpora/<content hash>/corpus.parquet` and `entry.json`.

The folder's name is a hash of the table's content, so the same rows are the same corpus whatever they were called or read from.
The entry is written last and removed first: a corpus without one does not exist.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pydantic import BaseModel

from isogloss.backend.corpora.parallel import readers
from isogloss.backend.corpora.parallel.corpus import SCHEMA, ParallelCorpus, ReadReport
from isogloss.backend.corpora.shared import kept
from isogloss.backend.corpora.shared.kind import Kind
from isogloss.backend.files import publish

if TYPE_CHECKING:
    from pathlib import Path


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
    source: str | None = None

    @property
    def tags(self) -> list[str]:
        """List the BCP-47 tags of the languages, in the entry's order."""
        return [known.tag for known in self.languages]


def content_id(table: pa.Table) -> str:
    """24 hex digits of the rows of a corpus (`SCHEMA`): the same for equal tables, however they are chunked or stored."""
    return kept.content_id(table, SCHEMA.names)


def _describe(corpus: ParallelCorpus, **common: Any) -> CorpusEntry:
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
        format=corpus.report.format,
        languages=tuple(
            KeptLanguage(tag=t, source_name=names.get(t, t), sentences=counts[t], characters=characters[t] or 0)
            for t in sorted(counts)
        ),
        sentences=sentences,
        rows=corpus.table.num_rows,
        complete=all(count == sentences for count in counts.values()),
        source=corpus.report.source,
        **common,
    )


def _write(corpus: ParallelCorpus, path: Path) -> None:
    with publish(path) as temporary:
        pq.write_table(corpus.table, temporary, compression="zstd")


def _restore(entry: CorpusEntry, table: pa.Table, _folder: Path) -> ParallelCorpus:
    names = {known.tag: known.source_name for known in entry.languages}
    left_out = entry.skipped_rows, entry.more_skipped, entry.warnings
    return ParallelCorpus(table, ReadReport(entry.format, names, *left_out, entry.source))


def _read_table(path: Path, entry: CorpusEntry) -> pa.Table | None:
    try:
        table = pq.read_table(path, memory_map=False)
    except (OSError, pa.ArrowException):
        return None
    return table if table.schema.remove_metadata().equals(SCHEMA) and content_id(table) == entry.id else None


KIND = Kind(
    name="corpus",
    folder="corpora",
    table="corpus.parquet",
    entry=CorpusEntry,
    describe=_describe,
    write=_write,
    read=_read_table,
    restore=_restore,
    group="corpus",
    several="corpora",
    what="parallel corpora",
    about="Import parallel corpora and list them.",
    formats=readers.FORMATS,
    formats_note="Also inside `.zip`, `.tar.gz` and `.gz`. Text is UTF-8; line *i* is the same sentence in every file.",
    columns={"sentences": attrgetter("sentences"), "languages": lambda entry: " ".join(entry.tags)},
    summary=lambda entry: f"{entry.format}: {entry.sentences} sentences, {len(entry.tags)} languages",
)
entries, problems, keep, load, rename, remove = KIND.entries, KIND.problems, KIND.keep, KIND.load, KIND.rename, KIND.remove
