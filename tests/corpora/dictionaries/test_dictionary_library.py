"""Kept dictionaries: one folder for each content, whatever happens to names and files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from backend import parquet
from backend.corpora.dictionaries import library as dictionaries
from backend.corpora.dictionaries.dictionary import Dictionary, DictionaryReport
from backend.corpora.parallel.corpus import Skipped
from backend.errors import CorpusError, StoreError

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


def test_names(workspace: Path) -> None:
    first = dictionaries.keep(dictionary(), "Mine", workspace)
    with pytest.raises(CorpusError, match="A dictionary needs a name"):
        dictionaries.keep(dictionary("x"), " \t", workspace)
    with pytest.raises(CorpusError, match="Another dictionary is called 'mine'"):
        dictionaries.keep(dictionary("x"), "mine", workspace)
    assert dictionaries.rename(first.id, "MINE", workspace).name == "MINE"
    assert dictionaries.entries([workspace])[0].name == "MINE"
    other = dictionaries.keep(dictionary("x"), "other", workspace)
    with pytest.raises(CorpusError, match="Another dictionary"):
        dictionaries.rename(other.id, "mine", workspace)
    dictionaries.remove(first.id, workspace)
    dictionaries.remove(first.id, workspace)
    with pytest.raises(CorpusError, match="no dictionary"):
        dictionaries.load(first.id, [workspace])
    with pytest.raises(CorpusError, match="no dictionary"):
        dictionaries.rename(first.id, "x", workspace)


@pytest.mark.parametrize("value", ["", "..", "../../etc", "a" * 24 + "/", "G" * 24])
def test_ids_are_never_paths(workspace: Path, value: str) -> None:
    for call in (dictionaries.remove, lambda i, w: dictionaries.rename(i, "x", w), lambda i, w: dictionaries.load(i, [w])):
        with pytest.raises(CorpusError, match="is not the id of a dictionary"):
            call(value, workspace)


def test_damage(workspace: Path) -> None:
    entry = dictionaries.keep(dictionary(), "mine", workspace)
    path = workspace / "lexicons" / entry.id / "lexicon.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + bytes([whole[100] ^ 1]) + whole[101:])
    with pytest.raises(StoreError, match="'mine' is damaged"):
        dictionaries.load(entry.id, [workspace])
    assert "damaged" in dictionaries.problems([workspace])[0]
    assert dictionaries.keep(dictionary(), "mine", workspace).id == entry.id
    assert dictionaries.load(entry.id, [workspace]) == dictionary()
    other = parquet.read(path).slice(1)  # whole, but not what the entry was made from
    parquet.write(path, other, {})
    with pytest.raises(StoreError, match="'mine' is damaged"):
        dictionaries.load(entry.id, [workspace])
    (path.parent / "entry.json").write_text("{", encoding="utf-8")
    assert dictionaries.entries([workspace]) == []
    assert "entry of dictionary" in dictionaries.problems([workspace])[0]


def test_the_first_workspace_wins(workspace: Path, tmp_path: Path) -> None:
    entry = dictionaries.keep(dictionary(), "mine", workspace)
    dictionaries.keep(dictionary(), "shipped", tmp_path / "demo")
    assert dictionaries.entries([workspace, tmp_path / "demo"]) == [entry]
    assert dictionaries.load(entry.id, [tmp_path / "none", tmp_path / "demo"]) == dictionary()
