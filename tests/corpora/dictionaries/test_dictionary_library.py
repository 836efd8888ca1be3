"""Kept dictionaries: one folder for each content, whatever happens to names and files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from backend import parquet
from backend.corpora.dictionaries import library as lexicons
from backend.corpora.dictionaries.dictionary import Lexicon, LexiconReport
from backend.corpora.parallel.corpus import Skipped
from backend.errors import CorpusError, StoreError

if TYPE_CHECKING:
    from pathlib import Path


def lexicon(last: str = "hund", target: str = "de") -> Lexicon:
    report = LexiconReport("MUSE, tabs", 3, 4, (Skipped("x", 9, "no word"),), 5, ("odd",))
    return Lexicon("en", target, {"cat": ("katze", "kater"), "dog": (last,)}, report)


def test_keep_and_load(workspace: Path) -> None:
    entry = lexicons.keep(lexicon(), "  Mine / ../x ", workspace, licence="CC0")
    assert (entry.name, entry.source, entry.target, entry.words, entry.pairs) == ("Mine / ../x", "en", "de", 2, 3)
    assert (entry.blank, entry.duplicates, entry.skipped, entry.licence) == (3, 4, 6, "CC0")
    assert lexicons.entries([workspace]) == [entry]
    again = lexicons.load(entry.id, [workspace])
    assert again == lexicon()
    assert again.report == lexicon().report
    assert list(again.entries) == ["cat", "dog"]
    assert sorted(p.name for p in (workspace / "lexicons" / entry.id).iterdir()) == ["entry.json", "lexicon.parquet"]
    assert lexicons.problems([workspace]) == []


def test_content_and_languages_make_the_identity(workspace: Path) -> None:
    first = lexicons.keep(lexicon(), "first", workspace)
    assert lexicons.keep(lexicon(), "second", workspace) == first
    assert lexicons.keep(lexicon("köter"), "third", workspace).id != first.id
    assert lexicons.keep(lexicon(target="nl"), "fourth", workspace).id != first.id
    assert len(lexicons.entries([workspace])) == 3


def test_names(workspace: Path) -> None:
    first = lexicons.keep(lexicon(), "Mine", workspace)
    with pytest.raises(CorpusError, match="A dictionary needs a name"):
        lexicons.keep(lexicon("x"), " \t", workspace)
    with pytest.raises(CorpusError, match="Another dictionary is called 'mine'"):
        lexicons.keep(lexicon("x"), "mine", workspace)
    assert lexicons.rename(first.id, "MINE", workspace).name == "MINE"
    assert lexicons.entries([workspace])[0].name == "MINE"
    other = lexicons.keep(lexicon("x"), "other", workspace)
    with pytest.raises(CorpusError, match="Another dictionary"):
        lexicons.rename(other.id, "mine", workspace)
    lexicons.remove(first.id, workspace)
    lexicons.remove(first.id, workspace)
    with pytest.raises(CorpusError, match="no dictionary"):
        lexicons.load(first.id, [workspace])
    with pytest.raises(CorpusError, match="no dictionary"):
        lexicons.rename(first.id, "x", workspace)


@pytest.mark.parametrize("value", ["", "..", "../../etc", "a" * 24 + "/", "G" * 24])
def test_ids_are_never_paths(workspace: Path, value: str) -> None:
    for call in (lexicons.remove, lambda i, w: lexicons.rename(i, "x", w), lambda i, w: lexicons.load(i, [w])):
        with pytest.raises(CorpusError, match="is not the id of a dictionary"):
            call(value, workspace)


def test_damage(workspace: Path) -> None:
    entry = lexicons.keep(lexicon(), "mine", workspace)
    path = workspace / "lexicons" / entry.id / "lexicon.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + bytes([whole[100] ^ 1]) + whole[101:])
    with pytest.raises(StoreError, match="'mine' is damaged"):
        lexicons.load(entry.id, [workspace])
    assert "damaged" in lexicons.problems([workspace])[0]
    assert lexicons.keep(lexicon(), "mine", workspace).id == entry.id
    assert lexicons.load(entry.id, [workspace]) == lexicon()
    other = parquet.read(path).slice(1)  # whole, but not what the entry was made from
    parquet.write(path, other, {})
    with pytest.raises(StoreError, match="'mine' is damaged"):
        lexicons.load(entry.id, [workspace])
    (path.parent / "entry.json").write_text("{", encoding="utf-8")
    assert lexicons.entries([workspace]) == []
    assert "entry of dictionary" in lexicons.problems([workspace])[0]


def test_the_first_workspace_wins(workspace: Path, tmp_path: Path) -> None:
    entry = lexicons.keep(lexicon(), "mine", workspace)
    lexicons.keep(lexicon(), "shipped", tmp_path / "demo")
    assert lexicons.entries([workspace, tmp_path / "demo"]) == [entry]
    assert lexicons.load(entry.id, [tmp_path / "none", tmp_path / "demo"]) == lexicon()
