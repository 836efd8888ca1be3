"""Kept corpora: one folder for each content, whatever happens to names, files and processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from backend.corpora.parallel import library
from backend.corpora.parallel.corpus import SCHEMA, ParallelCorpus, ReadReport, Skipped

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


def test_a_gap_makes_a_corpus_incomplete(workspace: Path) -> None:
    assert not library.keep(corpus(complete=False), "gap", workspace).complete


def test_two_workspaces(workspace: Path, tmp_path: Path) -> None:
    demo = tmp_path / "demo"
    shared = library.keep(corpus(), "in the demo", demo)
    library.keep(corpus("Neljä"), "also in the demo", demo)
    own = library.keep(corpus(), "mine", workspace)
    assert own.id == shared.id
    assert [e.name for e in library.entries([workspace, demo])] == ["also in the demo", "mine"]
    assert library.load(library.entries([demo])[0].id, [workspace, demo]).sentences == 3
