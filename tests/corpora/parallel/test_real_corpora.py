"""Real NTREX-128 and XNLI text, as published, through the readers."""

from __future__ import annotations

import tarfile
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.corpora.parallel.library import keep, load
from isogloss.backend.corpora.parallel.readers import InputFile, read

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def ntrex(real_data: Path) -> list[InputFile]:
    folder = real_data / "ntrex-128"
    texts = sorted((folder / "NTREX-128").glob("*.txt"))
    return [InputFile(p.name, p) for p in [*texts, folder / "DOCUMENT_IDS.tsv"]]


def plain_rows(path: Path) -> list[str]:
    return [row.rstrip("\r") for row in path.read_bytes().decode("utf-8-sig").removesuffix("\n").split("\n")]


def test_ntrex(ntrex: list[InputFile], tmp_path: Path) -> None:
    corpus = read(ntrex)
    assert corpus.report.format == "NTREX-128"
    assert len(corpus.languages) == len(ntrex) - 1
    assert corpus.sentences == 1997
    ids, texts = corpus.align(corpus.languages)
    complete = set(ids)
    for file in ntrex[:-1]:
        name = file.name.split(".")[1]
        tag = next(t for t, source in corpus.report.source_names.items() if source == name)
        rows = plain_rows(file.path)
        assert len(rows) == 1997
        assert texts[tag] == [text for i, text in enumerate(rows, start=1) if str(i) in complete]
    documents = plain_rows(ntrex[-1].path)
    assert corpus.table["document_id"].to_pylist()[:1997] == documents
    entry = keep(corpus, "NTREX-128", tmp_path)
    assert load(entry.id, [tmp_path]).table.equals(corpus.table)


def test_ntrex_in_an_archive_is_the_same_corpus(ntrex: list[InputFile], tmp_path: Path) -> None:
    some = [f for f in ntrex if f.name.split(".")[1] in {"eng", "deu", "jpn", "arb", "zho-CN"}]
    with tarfile.open(tmp_path / "a", "w:gz") as archive:
        for file in some:
            archive.add(file.path, f"NTREX/NTREX-128/{file.name}")
    assert read([InputFile("NTREX.tar.gz", tmp_path / "a")]).table.equals(read(some).table)


def test_xnli_sentences_as_long_tables(real_data: Path, tmp_path: Path) -> None:
    rows = []
    for path in sorted((real_data / "xnli").glob("dev-*.tsv")):
        name = path.stem.removeprefix("dev-")
        rows += [f"{i}\t{name}\t{row.split(chr(9))[1]}" for i, row in enumerate(plain_rows(path))]
    (tmp_path / "a").write_text("id\tlanguage\ttext\n" + "\n".join(rows) + "\n", encoding="utf-8", newline="")
    corpus = read([InputFile("xnli.tsv", tmp_path / "a")])
    assert len(corpus.languages) == 15
    assert corpus.sentences == 2490
    assert corpus.table.num_rows + corpus.report.skipped_count == len(rows)
