"""The tagged corpora that a workspace keeps: `<workspace>/tagged/<content hash>/tagged.parquet` and `entry.json`.

As with corpora (`backend.corpora.parallel.library`), the same sentences, parts and tags are the same corpus under any name.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import BaseModel, ConfigDict

from isogloss.backend import parquet
from isogloss.backend.corpora.parallel.corpus import ReadReport
from isogloss.backend.corpora.shared import kept, kind
from isogloss.backend.corpora.shared.formats import Layout
from isogloss.backend.corpora.tagged.corpus import SCHEMA, Kind, TaggedCorpus, content_id
from isogloss.backend.corpora.tagged.parts import PARTS, Part

if TYPE_CHECKING:
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


def _describe(corpus: TaggedCorpus, **common: Any) -> TaggedEntry:
    report = corpus.report
    return TaggedEntry(
        id=corpus.id,
        format=report.format,
        kind=corpus.kind,
        tags=corpus.tags,
        languages=tuple(_language(corpus, tag) for tag in corpus.languages),
        parallel=corpus.parallel,
        source=report.source,
        **common,
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


def _restore(entry: TaggedEntry, table: pa.Table, _folder: Path) -> TaggedCorpus:
    names = {known.tag: known.source_name for known in entry.languages}
    report = ReadReport(entry.format, names, entry.skipped_rows, entry.more_skipped, entry.warnings, entry.source)
    return TaggedCorpus(table, report, entry.name)


def _read_table(path: Path, entry: TaggedEntry) -> pa.Table | None:
    table = kept.read_table(path, SCHEMA, batch=1 << 16)
    # Parquet gives the values of lists another name.
    return table.cast(SCHEMA) if table is not None and content_id(table) == entry.id else None


def _summary(entry: TaggedEntry) -> str:
    """`parts of speech, 2 languages, 10 sentences, 80 words, 12 tags, the same sentences in all languages`."""
    kind = {"pos": "parts of speech", "ner": "entities", "other": "other tags"}[entry.kind]
    sizes = f"{len(entry.languages)} languages, {entry.sentences:,} sentences, {entry.words:,} words, {len(entry.tags)} tags"
    return f"{entry.format}: {kind}, {sizes}{', the same sentences in all languages' if entry.parallel else ''}"


KIND = kind.Kind(
    name="tagged corpus",
    folder="tagged",
    table="tagged.parquet",
    entry=TaggedEntry,
    describe=_describe,
    write=lambda corpus, path: parquet.write(path, corpus.table, {}),
    read=_read_table,
    restore=_restore,
    group="tagged",
    several="tagged corpora",
    what="text with a tag for each word",
    about="Import text with a tag for each word (parts of speech, entities) and look into it.",
    formats=(
        Layout("CoNLL-U (Universal Dependencies)", "`en_pud-ud-test.conllu` …: words and their UPOS"),
        Layout(
            "XTREME (UD-POS, PAN-X)",
            "`train-en.tsv`, `dev-en.tsv` …: a word, a tab and its tag on each line, then a blank line",
        ),
        Layout("WikiAnn", "the same with `en:` before each word: `en/train` …"),
    ),
    formats_note=(
        "Also inside `.zip`, `.tar.gz` and `.gz`. Text is UTF-8. Names say the language and the part: `train`, `dev` or "
        "`test`; a part that is not there is split from another."
    ),
    columns={
        **{name: attrgetter(name) for name in ("kind", "sentences", "words")},
        "tags": lambda entry: len(entry.tags),
        "languages": lambda entry: " ".join(entry.language_tags),
    },
    summary=_summary,
    row="sentence or word",
    rows="sentences and words",
)
entries, problems, keep, load, rename, remove = KIND.entries, KIND.problems, KIND.keep, KIND.load, KIND.rename, KIND.remove
