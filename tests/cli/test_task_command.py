"""`python -m backend task`, as a person types it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from backend.cli import app
from backend.corpora.tasks import library as task_library
from backend.errors import SpecError
from backend.experiments.named import task_named

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, start: int = 0, label: str = "no") -> Path:
    folder.mkdir()
    for tag, word in (("de", "Das Wasser"), ("en", "The water")):
        rows = [f"{word} {i}\t{('yes', label)[i % 2]}\n" for i in range(start, start + 8)]
        (folder / f"{tag}.tsv").write_text("".join(rows) if tag == "en" else "".join(["\n", *rows[1:]]), encoding="utf-8")
    return folder


def test_import_and_list(workspace: Path, tmp_path: Path) -> None:
    train, dev = write(tmp_path / "train"), write(tmp_path / "more", 20)
    options = ["--validation", str(dev), "--name", "Water", "--licence", "CC0-1.0", "--label", "yes", "--label", "no"]
    done = CliRunner().invoke(app, ["task", "import", str(train), *options])
    assert "de.tsv: 2 of 16 rows (12%) would be left out: no text in de; no label in de (2, first in line 1)" in str(
        done.exception
    )
    done = CliRunner().invoke(app, ["task", "import", str(train), *options, "--drop-broken"])
    assert done.exit_code == 0, done.output
    assert "Left out: de.tsv, line 1: no text in de; no label in de: left out in every language" in done.output
    assert "XTREME: 14 sentences, 7 of them for validation, 2 labels, 2 languages, saved as 'Water'" in done.output
    assert [(entry.name, entry.licence) for entry in task_library.entries([workspace])] == [("Water", "CC0-1.0")]
    done = CliRunner().invoke(app, ["task", "import", str(train / "en.tsv"), str(train / "de.tsv"), "--language", "en"])
    assert "XTREME: 8 sentences, 0 of them for validation, 2 labels, 1 languages, saved as 'train'" in done.output
    assert task_named("Water").rows == 14
    assert task_named(task_named("Water").id[:8]).name == "Water"
    with pytest.raises(SpecError, match=r"no task 'Watr'. Did you mean 'Water'"):
        task_named("Watr")
    listed = CliRunner().invoke(app, ["task", "list"]).output
    assert "Water" in listed
    assert "no yes" in listed
    assert "de en" in listed


def test_a_problem_is_a_sentence(workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write(tmp_path / "one", label="yes")
    for arguments in (
        ["import", str(folder)],
        ["import", str(tmp_path / "none")],
        ["hub", "facebook/xnl"],
        ["hub", "facebook/xnli"],
    ):
        with pytest.raises(SystemExit, match="1"):
            app(["task", *arguments])
    errors = capsys.readouterr().err
    assert "Error: de.tsv: Every row with a text and a label in every language has the label 'yes'" in errors
    assert "There is no file 'none'" in errors
    assert "Did you mean 'facebook/xnli'" in errors
    assert "the Hugging Face Hub cannot be reached" in errors
    assert task_library.entries([workspace]) == []
