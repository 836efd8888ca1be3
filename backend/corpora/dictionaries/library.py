"""The dictionaries that a workspace keeps: `<workspace>/lexicons/<content hash>/lexicon.parquet` and `entry.json`.

As with corpora (`backend.corpora.parallel.library`), the same pairs of the same languages are the same dictionary under
any name.
"""

from __future__ import annotations

import json
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from isogloss.backend import parquet
from isogloss.backend.corpora.dictionaries.dictionary import Dictionary, DictionaryReport
from isogloss.backend.corpora.shared import kept
from isogloss.backend.corpora.shared.formats import Layout
from isogloss.backend.corpora.shared.kind import Kind
from isogloss.backend.files import added

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = pa.schema([("word", pa.string()), ("translation", pa.string())])
WITH_CLOZE = SCHEMA.append(pa.field("cloze", pa.string()))
"""Of a dictionary that has cloze sentences; null where a pair has none."""


class DictionaryEntry(kept.Entry):
    """What is known of a saved dictionary without reading its pairs. Its id is made from them and the two languages."""

    source: str
    target: str
    format: str
    words: int
    """Different words of the source language."""
    pairs: int
    blank: int = 0
    duplicates: int = 0
    cloze: int = added(0)
    """Pairs with a cloze sentence."""


def _describe(dictionary: Dictionary, **common: Any) -> DictionaryEntry:
    report = dictionary.report
    return DictionaryEntry(
        id=_content_id(_table(dictionary), dictionary.source, dictionary.target),
        source=dictionary.source,
        target=dictionary.target,
        format=report.format,
        words=len(dictionary.entries),
        pairs=dictionary.pairs,
        blank=report.blank,
        duplicates=report.duplicates,
        cloze=len(dictionary.cloze),
        **common,
    )


def _write(dictionary: Dictionary, path: Path) -> None:
    parquet.write(path, _table(dictionary), {"source": dictionary.source, "target": dictionary.target})


def _restore(entry: DictionaryEntry, table: pa.Table, _folder: Path) -> Dictionary:
    words: dict[str, list[str]] = {}
    for word, translation in zip(table["word"].to_pylist(), table["translation"].to_pylist(), strict=True):
        words.setdefault(word, []).append(translation)
    left_out = entry.skipped_rows, entry.more_skipped, entry.warnings
    report = DictionaryReport(entry.format, entry.blank, entry.duplicates, *left_out)
    cloze: dict[tuple[str, str], str] = {}
    if entry.cloze:
        rows = zip(*(table[name].to_pylist() for name in WITH_CLOZE.names), strict=True)
        cloze = {(word, translation): sentence for word, translation, sentence in rows if sentence is not None}
    return Dictionary(entry.source, entry.target, {word: tuple(each) for word, each in words.items()}, report, cloze)


def _table(dictionary: Dictionary) -> pa.Table:
    pairs = [(word, each) for word, translations in dictionary.entries.items() for each in translations]
    table = pa.table([[word for word, _ in pairs], [each for _, each in pairs]], schema=SCHEMA)
    if not dictionary.cloze:
        return table
    return table.append_column(WITH_CLOZE.field("cloze"), pa.array([dictionary.cloze.get(each) for each in pairs], pa.string()))


def _content_id(table: pa.Table, source: str, target: str) -> str:
    return kept.content_id(table, table.column_names, json.dumps([source, target]).encode("ascii"))


def _read_table(path: Path, entry: DictionaryEntry) -> pa.Table | None:
    table = kept.read_table(path, WITH_CLOZE if entry.cloze else SCHEMA)
    return table if table is not None and _content_id(table, entry.source, entry.target) == entry.id else None


def _summary(entry: DictionaryEntry) -> str:
    passed_over = f"({entry.blank} blank lines, {entry.duplicates} repeated pairs)"
    cloze = f", {entry.cloze} with a cloze sentence" if entry.cloze else ""
    return f"{entry.format}: {entry.words} words, {entry.pairs} pairs {entry.source} to {entry.target}{cloze} {passed_over}"


KIND = Kind(
    name="dictionary",
    # Dictionaries were called lexicons: what lies on disk keeps its names.
    folder="lexicons",
    table="lexicon.parquet",
    entry=DictionaryEntry,
    describe=_describe,
    write=_write,
    read=_read_table,
    restore=_restore,
    group="dictionary",
    several="dictionaries",
    what="bilingual dictionaries",
    about="Import bilingual dictionaries and list them.",
    looks="Lines",
    formats=(
        Layout("MUSE", "`cat katze`: a tab or a space between, a line for each translation"),
        Layout("CSV, TSV", "two columns"),
        Layout("CSV, TSV with more columns", "the first line names the two languages: `id,en,de`"),
        Layout("With cloze sentences", 'a column `cloze` more, or Wendler et al.\'s tables: `Ein "___" … Antwort: "Buch".`'),
    ),
    formats_note="Text is UTF-8. Words are compared in lower case, as in MUSE.",
    columns={name: attrgetter(name) for name in ("source", "target", "words", "pairs")},
    summary=_summary,
    scored="with",
    row="line",
    rows="lines",
)
entries, problems, keep, load, rename, remove = KIND.entries, KIND.problems, KIND.keep, KIND.load, KIND.rename, KIND.remove
