"""The word alignments that a workspace keeps: `<workspace>/alignments/<content hash>/alignment.parquet` and `entry.json`.

As with dictionaries (`backend.corpora.dictionaries.library`), the same links of the same corpus are the same alignment
under any name.
"""

from __future__ import annotations

import json
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from isogloss.backend import parquet
from isogloss.backend.corpora.parallel import library
from isogloss.backend.corpora.parallel.corpus import Warnings
from isogloss.backend.corpora.shared import kept
from isogloss.backend.corpora.shared.formats import Layout
from isogloss.backend.corpora.shared.kind import Kind
from isogloss.backend.corpora.word_alignments.links import SCHEMA, Links
from isogloss.backend.settings import settings

if TYPE_CHECKING:
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


def _describe(links: Links, **common: Any) -> AlignmentEntry:
    entry = AlignmentEntry(
        id="",
        corpus=links.corpus,
        source=links.source,
        target=links.target,
        gold=links.gold,
        format=links.format,
        links=links.table.num_rows,
        sure=int(pc.sum(links.table["sure"]).as_py() or 0),
        sentences=int(pc.count_distinct(links.table["sentence_id"]).as_py()),
        source_words=links.source_words,
        target_words=links.target_words,
        **common,
    )
    return entry.model_copy(update={"id": _content_id(links.table, entry)})


def _write(links: Links, path: Path) -> None:
    parquet.write(path, links.table, {"corpus": links.corpus, "source": links.source, "target": links.target})


def _restore(entry: AlignmentEntry, table: pa.Table, _folder: Path) -> Links:
    words = entry.source_words, entry.target_words
    return Links(entry.corpus, entry.source, entry.target, table, *words, entry.format, entry.warnings, entry.gold)


def _content_id(table: pa.Table, entry: AlignmentEntry) -> str:
    texts = pa.table({name: table[name].cast(pa.string()) for name in SCHEMA.names})
    provenance = [entry.corpus, entry.source, entry.target, entry.source_words, entry.target_words, entry.gold]
    return kept.content_id(texts, SCHEMA.names, json.dumps(provenance).encode("ascii"))


def _read_table(path: Path, entry: AlignmentEntry) -> pa.Table | None:
    table = kept.read_table(path, SCHEMA)
    return table if table is not None and _content_id(table, entry) == entry.id else None


def _corpus_name(entry: AlignmentEntry) -> str:
    names = {corpus.id: corpus.name for corpus in library.entries(settings().workspaces)}
    return names.get(entry.corpus, entry.corpus)


def _summary(entry: AlignmentEntry) -> str:
    links = f"{entry.format}: {entry.links} links ({entry.sure} sure) in {entry.sentences} sentences"
    return f"{links}, {entry.source} to {entry.target}{', gold' if entry.gold else ''}"


KIND = Kind(
    name="alignment",
    folder="alignments",
    table="alignment.parquet",
    entry=AlignmentEntry,
    describe=_describe,
    write=_write,
    read=_read_table,
    restore=_restore,
    report=lambda links: Warnings(links.notes),
    group="alignment",
    several="word alignments",
    full_name="word alignment",
    what="word alignments of a saved corpus, an aligner's or people's (`--gold`)",
    about="Import word alignments of a saved corpus, list them, write what aligners read.",
    looks="Lines",
    formats=(
        Layout("Pharaoh", "`0-0 1-2 …`, one line a sentence pair; a possible link of a gold file is `3p4` or `3?4`"),
        Layout("NAACL", "`sentence source target S` or `… P`, one line a link, counted from 1"),
    ),
    formats_note=(
        "One line for every sentence that the corpus has in both languages, in its order. FastAlign, eflomal, "
        "awesome-align and SimAlign write Pharaoh format. The tokens are those of the two files of tokenised sentences "
        "(spaces between tokens); without them, the words that Isogloss finds itself, as `isogloss alignment "
        "tokens` writes them."
    ),
    columns={
        "corpus": _corpus_name,
        "source": attrgetter("source"),
        "target": attrgetter("target"),
        "links": attrgetter("links"),
        "gold": lambda entry: "gold" if entry.gold else "",
    },
    summary=_summary,
    scored="with",
)
entries, problems, keep, load, rename, remove = KIND.entries, KIND.problems, KIND.keep, KIND.load, KIND.rename, KIND.remove
