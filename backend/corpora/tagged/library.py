"""The tagged corpora that a workspace keeps: `<workspace>/tagged/<content hash>/tagged.parquet` and `entry.json`.

As with corpora (`backend.corpora.parallel.library`), the same sentences, parts and tags are the same corpus under any name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import BaseModel, ConfigDict

from backend import parquet
from backend.corpora.parallel.corpus import ReadReport, Skipped
from backend.corpora.shared import kept
from backend.corpora.tagged.corpus import SCHEMA, Kind, TaggedCorpus, content_id
from backend.corpora.tagged.parts import PARTS, Part

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class TaggedLanguage(BaseModel):
    """A language of a saved tagged corpus."""

    model_config = ConfigDict(frozen=True)

    tag: str
    source_name: str
    sentences: dict[Part, int]
    """Part of the files → its sentences; a part that the files lack is split from another (`backend.corpora.tagged.parts`)."""
    words: dict[Part, int]
    characters: int
    """Of all its sentences together; for estimates of what a computation will cost."""


class TaggedEntry(kept.Entry):
    """What is known of a saved tagged corpus without reading its sentences."""

    format: str
    kind: Kind
    tags: tuple[str, ...]
    """Every tag of any language, sorted."""
    languages: tuple[TaggedLanguage, ...]
    parallel: bool
    """Whether all languages have the same sentences in some part."""
    skipped: int = 0
    skipped_rows: tuple[Skipped, ...] = ()
    """The first of them, as in the reader's report."""
    source: str | None = None

    @property
    def language_tags(self) -> list[str]:
        """List the BCP-47 tags of the languages, in the entry's order."""
        return [known.tag for known in self.languages]

    @property
    def sentences(self) -> int:
        """Count the sentences of all languages and parts."""
        return sum(sum(known.sentences.values()) for known in self.languages)

    @property
    def words(self) -> int:
        """Count the words of all languages and parts."""
        return sum(sum(known.words.values()) for known in self.languages)


def keep(corpus: TaggedCorpus, name: str, workspace: Path, *, licence: str | None = None) -> TaggedEntry:
    """Keep a tagged corpus under a name. Content that is saved already stays under the name it has: its entry is returned.

    Raises `CorpusError` for a name that is empty, too long or taken by another tagged corpus, `StoreError` where the workspace
    cannot be written.
    """
    name = kept.checked_name(name, "tagged corpus")
    entry = _entry(corpus, name, licence)
    return SHELF.keep(entry, workspace, lambda path: parquet.write(path, corpus.table, {}))


def load(corpus_id: str, workspaces: Sequence[Path]) -> TaggedCorpus:
    """Return a saved tagged corpus, from the first workspace that has it. Its content is checked against its id.

    Raises `CorpusError` where no workspace has it, `StoreError` where its files are damaged.
    """
    entry, table = SHELF.load(corpus_id, workspaces)
    names = {known.tag: known.source_name for known in entry.languages}
    more = entry.skipped - len(entry.skipped_rows)
    report = ReadReport(entry.format, names, entry.skipped_rows, more, entry.warnings, entry.source)
    return TaggedCorpus(table, report, entry.name)


def _entry(corpus: TaggedCorpus, name: str, licence: str | None) -> TaggedEntry:
    report = corpus.report
    return TaggedEntry(
        id=corpus.id,
        name=name,
        format=report.format,
        kind=corpus.kind,
        tags=corpus.tags,
        languages=tuple(_language(corpus, tag) for tag in corpus.languages),
        parallel=corpus.parallel,
        source=report.source,
        **kept.reading_fields(report, licence),
    )


def _language(corpus: TaggedCorpus, tag: str) -> TaggedLanguage:
    texts = corpus.table.filter(pc.equal(corpus.table["language"], tag))["text"]
    there = [part for part in PARTS if (tag, part) in corpus.sizes]
    return TaggedLanguage(
        tag=tag,
        source_name=corpus.report.source_names.get(tag, tag),
        sentences={part: corpus.sizes[tag, part][0] for part in there},
        words={part: corpus.sizes[tag, part][1] for part in there},
        characters=int(pc.sum(pc.utf8_length(texts)).as_py() or 0),
    )


def _read_table(path: Path, entry: TaggedEntry) -> pa.Table | None:
    """Return the sentences, or None where the file is missing, damaged, or not what the entry was made from."""
    table = kept.read_table(path, SCHEMA, batch=1 << 16)
    # Parquet gives the values of lists another name.
    return table.cast(SCHEMA) if table is not None and content_id(table) == entry.id else None


SHELF = kept.Shelf("tagged corpus", "tagged", "tagged.parquet", TaggedEntry, _read_table)
entries, problems, rename, remove = SHELF.entries, SHELF.problems, SHELF.rename, SHELF.remove
