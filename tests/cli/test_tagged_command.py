"""`python -m backend tagged`, as a person types it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from backend.cli import app
from backend.corpora.tagged import library as tagged_library
from backend.errors import SpecError
from backend.experiments.named import tagged_named
from tests.corpora.tagged.tagged_reading import columns

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path) -> Path:
    folder.mkdir()
    for tag, word in (("de", "Wort"), ("en", "word")):
        for part, count in (("train", 12), ("dev", 6)):
            own = [[(f"{word}{part}{i}", "NOUN"), ("so", "ADV"), (".", "PUNCT")] for i in range(count)]
            (folder / f"{part}-{tag}.tsv").write_text(columns(*own), encoding="utf-8")
    (folder / "test-en.tsv").write_text("no\ntags\n", encoding="utf-8")
    return folder


def run(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["tagged", *arguments])
    assert done.exit_code == 0, done.output
    return done.output


def test_import_list_show_and_remove(workspace: Path, tmp_path: Path) -> None:
    folder = write(tmp_path / "udpos")
    with open(folder / "train-de.tsv", "a", encoding="utf-8") as file:
        file.write("ohne\n")
    refused = CliRunner().invoke(app, ["tagged", "import", str(folder), "--name", "UD"])
    assert "train-de.tsv: 1 of 13 sentences (7.7%) would be left out: a word has no tag" in str(refused.exception)
    printed = run("import", str(folder), "--name", "UD", "--licence", "CC0-1.0", "--drop-broken")
    assert "Note: Not read, since the words have no tags: test-en.tsv." in printed
    assert "validation is half of validation, test is half of validation" in printed
    assert "Left out: train-de.tsv, line 49: the word 'ohne' has no tag: sentence left out" in printed
    assert "two columns: parts of speech, 2 languages, 36 sentences, 108 words, 3 tags, saved as 'UD'" in printed
    (entry,) = tagged_library.entries([workspace])
    assert (entry.name, entry.licence, tagged_named(entry.id[:6])) == ("UD", "CC0-1.0", entry)
    listed = run("list").splitlines()
    assert listed[0].split() == ["name", "id", "kind", "sentences", "words", "tags", "languages"]
    assert listed[1].split() == ["UD", entry.id, "pos", "36", "108", "3", "de", "en"]
    told = run("show", "UD", "--sentences", "2")
    assert "en        12 (36)                   6 (18)                         0 (0)" in told
    assert "NOUN             33.3  33.3" in told
    assert "en 2: wordtrain1/NOUN so/ADV ./PUNCT" in told
    assert "'UD' is no longer in the workspace" in run("remove", "UD")
    assert tagged_library.entries([workspace]) == []
    with pytest.raises(SpecError, match=r"no tagged corpus 'UD'\. Import one with `tagged import`"):
        tagged_named("UD")
    assert "1 languages, 18 sentences" in run("import", str(folder), "--language", "eng")


def test_a_problem_is_a_sentence(workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "train-en.tsv").write_text("a\tb\tc\n")
    for arguments in (
        ["import", str(tmp_path / "train-en.tsv")],
        ["import", str(tmp_path / "none")],
        ["show", "none"],
        ["hub", "unimelb-nlp/wikian", "en"],
        ["hub", "unimelb-nlp/wikiann", "en"],
    ):
        with pytest.raises(SystemExit, match="1"):
            app(["tagged", *arguments])
    errors = capsys.readouterr().err.splitlines()
    assert [error.startswith("Error: ") for error in errors] == [True] * 5
    assert "train-en.tsv, line 1: The row has 3 columns, not 2" in errors[0]
    assert "There is no file 'none'" in errors[1]
    assert "There is no tagged corpus 'none'" in errors[2]
    assert "Did you mean 'unimelb-nlp/wikiann'?" in errors[3]
    assert "the Hugging Face Hub cannot be reached" in errors[4]
