"""The dictionaries that a workspace keeps: `<workspace>/lexicons/<content hash>/lexicon.parquet` and `entry.json`.

As with corpora (`backend.corpora.parallel.library`), the same pairs of the same languages are the same dictionary under
any name.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow as pa

from backend import parquet
from backend.corpora.dictionaries.dictionary import Dictionary, DictionaryReport
from backend.corpora.parallel.corpus import Skipped
from backend.corpora.shared import kept

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SCHEMA = pa.schema([("word", pa.string()), ("translation", pa.string())])


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
    skipped: int = 0
    skipped_rows: tuple[Skipped, ...] = ()
    """The first of them, as in the reader's report."""


def keep(dictionary: Dictionary, name: str, workspace: Path, *, licence: str | None = None) -> DictionaryEntry:
    """Keep a dictionary under a name. Content that is saved already stays under the name it has: its entry is returned.

    Raises `CorpusError` for a name that is empty, too long or taken by another dictionary, `StoreError` where the workspace
    cannot be written.
    """
    name = kept.checked_name(name, "dictionary")
    table = _table(dictionary)
    report = dictionary.report
    entry = DictionaryEntry(
        id=_content_id(table, dictionary.source, dictionary.target),
        name=name,
        source=dictionary.source,
        target=dictionary.target,
        format=report.format,
        words=len(dictionary.entries),
        pairs=dictionary.pairs,
        blank=report.blank,
        duplicates=report.duplicates,
        **kept.reading_fields(report, licence),
    )
    provenance = {"source": dictionary.source, "target": dictionary.target}
    return SHELF.keep(entry, workspace, lambda path: parquet.write(path, table, provenance))


def load(dictionary_id: str, workspaces: Sequence[Path]) -> Dictionary:
    """Return a saved dictionary, from the first workspace that has it. Its content is checked against its id.

    Raises `CorpusError` where no workspace has it, `StoreError` where its files are damaged.
    """
    entry, table = SHELF.load(dictionary_id, workspaces)
    found: dict[str, list[str]] = {}
    for word, translation in zip(table["word"].to_pylist(), table["translation"].to_pylist(), strict=True):
        found.setdefault(word, []).append(translation)
    more = entry.skipped - len(entry.skipped_rows)
    report = DictionaryReport(entry.format, entry.blank, entry.duplicates, entry.skipped_rows, more, entry.warnings)
    return Dictionary(entry.source, entry.target, {word: tuple(each) for word, each in found.items()}, report)


def _table(dictionary: Dictionary) -> pa.Table:
    pairs = [(word, each) for word, translations in dictionary.entries.items() for each in translations]
    return pa.table([[word for word, _ in pairs], [each for _, each in pairs]], schema=SCHEMA)


def _content_id(table: pa.Table, source: str, target: str) -> str:
    return kept.content_id(table, SCHEMA.names, json.dumps([source, target]).encode("ascii"))


def _read_table(path: Path, entry: DictionaryEntry) -> pa.Table | None:
    """Return the pairs, or None where the file is missing, damaged, or not what the entry was made from."""
    table = kept.read_table(path, SCHEMA)
    return table if table is not None and _content_id(table, entry.source, entry.target) == entry.id else None


# Dictionaries were called lexicons: what lies on disk keeps its names.
SHELF = kept.Shelf("dictionary", "lexicons", "lexicon.parquet", DictionaryEntry, _read_table)
entries, problems, rename, remove = SHELF.entries, SHELF.problems, SHELF.rename, SHELF.remove
