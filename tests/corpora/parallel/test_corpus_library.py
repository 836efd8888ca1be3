"""Kept corpora: one folder for each content, whatever happens to names, files and processes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from backend.corpora.parallel import library
from backend.corpora.parallel.corpus import SCHEMA, ParallelCorpus, ReadReport, Skipped
from backend.errors import CorpusError, StoreError

if TYPE_CHECKING:
    from pathlib import Path


def corpus(last: str = "Kolme", *, complete: bool = True) -> ParallelCorpus:
    rows = [("1", "en", "One", "d"), ("2", "en", "Two", None), ("3", "en", "Three", None)]
    rows += [("1", "fi", "Yksi", "d"), ("2", "fi", "Kaksi", None)] + ([("3", "fi", last, None)] if complete else [])
    table = pa.Table.from_pylist([dict(zip(SCHEMA.names, row, strict=True)) for row in rows], schema=SCHEMA)
    return ParallelCorpus(
        table, ReadReport("test", {"en": "eng", "fi": "fin"}, (Skipped("x", 9, "empty"),), 4, ("odd",), "here")
    )


def test_keep_and_load(workspace: Path) -> None:
    entry = library.keep(corpus(), "  Näyte / ../x  ", workspace, licence="CC0")
    assert (entry.name, entry.format, entry.sentences, entry.rows, entry.complete) == ("Näyte / ../x", "test", 3, 6, True)
    assert (entry.skipped, entry.warnings, entry.source, entry.licence) == (5, ("odd",), "here", "CC0")
    assert [(k.tag, k.source_name, k.sentences) for k in entry.languages] == [("en", "eng", 3), ("fi", "fin", 3)]
    assert library.entries([workspace]) == [entry]
    again = library.load(entry.id, [workspace])
    assert again.table.equals(corpus().table)
    assert again.report == corpus().report
    folder = workspace / "corpora" / entry.id
    assert sorted(p.name for p in folder.iterdir()) == ["corpus.parquet", "entry.json"]
    assert library.problems([workspace]) == []


def test_the_same_content_is_the_same_corpus(workspace: Path) -> None:
    first = library.keep(corpus(), "first", workspace)
    other_report = ParallelCorpus(corpus().table, ReadReport("another", {}))
    assert library.keep(other_report, "second", workspace) == first
    assert library.keep(corpus("Neljä"), "third", workspace).id != first.id
    assert len(library.entries([workspace])) == 2


def test_a_gap_makes_a_corpus_incomplete(workspace: Path) -> None:
    assert not library.keep(corpus(complete=False), "gap", workspace).complete


@pytest.mark.parametrize("name", ["", "  ", "x" * 121, "a\0b", "a\x1bb"])
def test_bad_names(workspace: Path, name: str) -> None:
    with pytest.raises(CorpusError, match="needs a name"):
        library.keep(corpus(), name, workspace)


def test_names_are_unique(workspace: Path) -> None:
    first = library.keep(corpus(), "Mine", workspace)
    with pytest.raises(CorpusError, match="Another corpus is called 'mine'"):
        library.keep(corpus("Neljä"), "mine", workspace)
    other = library.keep(corpus("Neljä"), "other", workspace)
    with pytest.raises(CorpusError, match="Another corpus is called 'MINE'"):
        library.rename(other.id, "MINE", workspace)
    assert library.rename(first.id, "MINE", workspace).name == "MINE"
    assert [e.name for e in library.entries([workspace])] == ["MINE", "other"]


def test_remove(workspace: Path) -> None:
    entry = library.keep(corpus(), "mine", workspace)
    library.remove(entry.id, workspace)
    library.remove(entry.id, workspace)
    assert list((workspace / "corpora").iterdir()) == []
    with pytest.raises(CorpusError, match="There is no corpus"):
        library.load(entry.id, [workspace])
    with pytest.raises(CorpusError, match="There is no corpus"):
        library.rename(entry.id, "x", workspace)


@pytest.mark.parametrize("bad", ["", "../../etc", "A" * 24, "0" * 23, "0" * 25])
def test_ids_are_never_paths(workspace: Path, bad: str) -> None:
    for act in (lambda: library.load(bad, [workspace]), lambda: library.remove(bad, workspace)):
        with pytest.raises(CorpusError, match="is not the id of a corpus"):
            act()


def test_two_workspaces(workspace: Path, tmp_path: Path) -> None:
    demo = tmp_path / "demo"
    shared = library.keep(corpus(), "in the demo", demo)
    library.keep(corpus("Neljä"), "also in the demo", demo)
    own = library.keep(corpus(), "mine", workspace)
    assert own.id == shared.id
    assert [e.name for e in library.entries([workspace, demo])] == ["also in the demo", "mine"]
    assert library.load(library.entries([demo])[0].id, [workspace, demo]).sentences == 3


def test_damage_is_noticed_named_and_mended_by_keeping_again(workspace: Path) -> None:
    entry = library.keep(corpus(), "mine", workspace)
    table = workspace / "corpora" / entry.id / "corpus.parquet"
    for damage in (table.read_bytes()[:-30], b"", None):
        if damage is None:
            pq.write_table(corpus("Neljä").table, table)  # readable, but another corpus
        else:
            table.write_bytes(damage)
        assert len(library.problems([workspace])) == 1
        with pytest.raises(StoreError, match="'mine' is damaged on disk"):
            library.load(entry.id, [workspace])
        library.keep(corpus(), "mine", workspace)
        assert library.load(entry.id, [workspace]).table.equals(corpus().table)


@pytest.mark.parametrize("content", ["", "{}", "[1]", "not json", json.dumps({"id": "0" * 24})])
def test_a_damaged_entry_is_left_out_and_named(workspace: Path, content: str) -> None:
    entry = library.keep(corpus(), "mine", workspace)
    (workspace / "corpora" / entry.id / "entry.json").write_text(content)
    assert library.entries([workspace]) == []
    assert "is damaged" in library.problems([workspace])[0]
    assert library.keep(corpus(), "again", workspace).name == "again"


def test_a_workspace_that_cannot_be_written(workspace: Path) -> None:
    (workspace / "corpora").write_text("a file where the folder should be")
    with pytest.raises(StoreError, match=r"Could not write corpus\.parquet"):
        library.keep(corpus(), "mine", workspace)
