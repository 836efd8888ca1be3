"""Kept dictionaries: one folder for each content, whatever happens to names and files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backend.corpora.dictionaries import library as dictionaries
from backend.corpora.dictionaries.dictionary import Dictionary, DictionaryReport
from backend.corpora.parallel.corpus import Skipped

if TYPE_CHECKING:
    from pathlib import Path


def dictionary(last: str = "hund", target: str = "de") -> Dictionary:
    report = DictionaryReport("MUSE, tabs", 3, 4, (Skipped("x", 9, "no word"),), 5, ("odd",))
    return Dictionary("en", target, {"cat": ("katze", "kater"), "dog": (last,)}, report)


def test_keep_and_load(workspace: Path) -> None:
    entry = dictionaries.keep(dictionary(), "  Mine / ../x ", workspace, licence="CC0")
    assert (entry.name, entry.source, entry.target, entry.words, entry.pairs) == ("Mine / ../x", "en", "de", 2, 3)
    assert (entry.blank, entry.duplicates, entry.skipped, entry.licence) == (3, 4, 6, "CC0")
    assert dictionaries.entries([workspace]) == [entry]
    again = dictionaries.load(entry.id, [workspace])
    assert again == dictionary()
    assert again.report == dictionary().report
    assert list(again.entries) == ["cat", "dog"]
    assert sorted(p.name for p in (workspace / "lexicons" / entry.id).iterdir()) == ["entry.json", "lexicon.parquet"]
    assert dictionaries.problems([workspace]) == []


def test_content_and_languages_make_the_identity(workspace: Path) -> None:
    first = dictionaries.keep(dictionary(), "first", workspace)
    assert dictionaries.keep(dictionary(), "second", workspace) == first
    assert dictionaries.keep(dictionary("köter"), "third", workspace).id != first.id
    assert dictionaries.keep(dictionary(target="nl"), "fourth", workspace).id != first.id
    assert len(dictionaries.entries([workspace])) == 3
