"""`python -m backend dictionary`, as a person types it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typer.testing import CliRunner

from backend.cli import app
from backend.corpora.dictionaries import library as dictionaries

if TYPE_CHECKING:
    from pathlib import Path


def test_import_and_list(workspace: Path, tmp_path: Path) -> None:
    file = tmp_path / "animals.txt"
    file.write_text("dog\thund\n" * 2 + "\n" + "cat\tkatze\n" * 10 + "fish\n", encoding="utf-8")
    asked = ["dictionary", "import", str(file), "--source", "en", "--target", "de", "--name", "Animals", "--licence", "CC0-1.0"]
    refused = CliRunner().invoke(app, asked)
    assert "animals.txt: 1 of 13 lines (7.7%) would be left out: one column: no tab" in str(refused.exception)
    done = CliRunner().invoke(app, [*asked, "--drop-broken"])
    assert done.exit_code == 0
    assert "Left out: animals.txt, line 14: one column: no tab between two words" in done.output
    assert "2 words, 2 pairs en to de (1 blank lines, 10 repeated pairs), saved as 'Animals'" in done.output
    assert [(entry.name, entry.licence) for entry in dictionaries.entries([workspace])] == [("Animals", "CC0-1.0")]
    listed = CliRunner().invoke(app, ["dictionary", "list"])
    assert "Animals" in listed.output
