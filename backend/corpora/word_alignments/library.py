"""The word alignments that a workspace keeps: `<workspace>/alignments/<content hash>/alignment.parquet` and `entry.json`.

As with dictionaries (`backend.corpora.dictionaries.library`), the same links of the same corpus are the same alignment
under any name.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from backend import parquet
from backend.corpora.shared import kept
from backend.corpora.word_alignments.links import SCHEMA, Links

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class AlignmentEntry(kept.Entry):
    """What is known of a kept alignment without reading its links.

    Its id is made from them, the corpus, the languages and whether it is gold.
    """

    corpus: str
    """Content id of the corpus whose sentences are aligned."""
    source: str
    target: str
    gold: bool
    """Whether people made it, so that others are measured by it."""
    format: str
    links: int
    sure: int
    """Links that are not merely possible."""
    sentences: int
    """Sentences with at least one link."""
    source_words: int
    target_words: int


def keep(links: Links, name: str, workspace: Path, *, gold: bool = False, licence: str | None = None) -> AlignmentEntry:
    """Keep an alignment under a name. Content that is saved already stays under the name it has: its entry is returned.

    Raises `CorpusError` for a name that is empty, too long or taken by another alignment, `StoreError` where the workspace
    cannot be written.
    """
    name = kept.checked_name(name, "alignment")
    entry = AlignmentEntry(
        id="",
        name=name,
        corpus=links.corpus,
        source=links.source,
        target=links.target,
        gold=gold,
        format=links.format,
        links=links.table.num_rows,
        sure=int(pc.sum(links.table["sure"]).as_py() or 0),
        sentences=int(pc.count_distinct(links.table["sentence_id"]).as_py()),
        source_words=links.source_words,
        target_words=links.target_words,
        warnings=links.notes,
        licence=licence,
        created_at=datetime.now(UTC),
    )
    entry = entry.model_copy(update={"id": _content_id(links.table, entry)})
    provenance = {"corpus": links.corpus, "source": links.source, "target": links.target}
    return SHELF.keep(entry, workspace, lambda path: parquet.write(path, links.table, provenance))


def load(alignment_id: str, workspaces: Sequence[Path]) -> Links:
    """Return a kept alignment, from the first workspace that has it. Its content is checked against its id.

    Raises `CorpusError` where no workspace has it, `StoreError` where its files are damaged.
    """
    entry, table = SHELF.load(alignment_id, workspaces)
    words = entry.source_words, entry.target_words
    return Links(entry.corpus, entry.source, entry.target, table, *words, entry.format, entry.warnings)


def _content_id(table: pa.Table, entry: AlignmentEntry) -> str:
    texts = pa.table({name: table[name].cast(pa.string()) for name in SCHEMA.names})
    provenance = [entry.corpus, entry.source, entry.target, entry.source_words, entry.target_words, entry.gold]
    return kept.content_id(texts, SCHEMA.names, json.dumps(provenance).encode("ascii"))


def _read_table(path: Path, entry: AlignmentEntry) -> pa.Table | None:
    """Return the links, or None where the file is missing, damaged, or not what the entry was made from."""
    table = kept.read_table(path, SCHEMA)
    return table if table is not None and _content_id(table, entry) == entry.id else None


SHELF = kept.Shelf("alignment", "alignments", "alignment.parquet", AlignmentEntry, _read_table)
entries, problems, rename, remove = SHELF.entries, SHELF.problems, SHELF.rename, SHELF.remove
