"""`isogloss vectors`, as a person types it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from isogloss.backend.cli import app
from isogloss.backend.models.static import library as static_library

if TYPE_CHECKING:
    from pathlib import Path


def test_add_list_and_remove(workspace: Path, tmp_path: Path) -> None:
    for tag in ("en", "de"):
        (tmp_path / f"{tag}.vec").write_text("2 2\ndog 1 2\n\n", encoding="utf-8")
    typed = ["vectors", "add", "Two", f"eng={tmp_path / 'en.vec'}", f"deu_Latn={tmp_path / 'de.vec'}"]
    done = CliRunner().invoke(app, typed)
    assert done.exit_code == 0
    assert "en: en.vec, 1 words, 13 B" in done.output
    assert "Note: de.vec: Lines left out: 1; the first is line 3: blank." in done.output
    [kept] = static_library.entries([workspace])
    assert f"2 languages of 2 dimensions, saved as 'Two' ({kept.fingerprint})." in done.output
    assert kept.languages == ("de", "en")
    listed = CliRunner().invoke(app, ["vectors", "list"]).output
    assert "Two" in listed
    assert "de:1 en:1" in listed
    (tmp_path / "en.vec").unlink()
    assert "Note: 'Two': en.vec is no longer where it was." in CliRunner().invoke(app, ["vectors", "list"]).output
    said = CliRunner().invoke(app, ["vectors", "rename", "two", "Both"]).output
    assert said == f"'Two' is now 'Both' ({kept.fingerprint}).\n"
    assert CliRunner().invoke(app, ["vectors", "remove", "both"]).output == "'Both' is no longer in the workspace.\n"
    assert static_library.entries([workspace]) == []


def test_a_problem_is_a_sentence(workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for given in (["en"], ["en=a.vec", "en=b.vec"], ["en=none.vec"], ["xx-nothing=a.vec"]):
        with pytest.raises(SystemExit, match="1"):
            app(["vectors", "add", "Mine", *given])
    errors = capsys.readouterr().err
    assert "Error: 'en' is not LANGUAGE=PATH." in errors
    assert "Error: 'en' is given twice." in errors
    assert "Error: none.vec cannot be read" in errors
    assert "xx-nothing" in errors
    assert len(errors.splitlines()) == 4
    assert static_library.entries([workspace]) == []


def test_train(workspace: Path, tmp_path: Path) -> None:
    table = tmp_path / "pairs.tsv"
    rows = [f"cat c{i % 7}\tkatze k{i % 7}" for i in range(30)]
    table.write_text("\n".join(["en\tde", *rows]), encoding="utf-8")
    small = tmp_path / "small.tsv"
    small.write_text("en\tde\nThe cat\tDie Katze\n", encoding="utf-8")
    for path in (table, small):
        assert CliRunner().invoke(app, ["corpus", "import", str(path), "--name", path.stem]).exit_code == 0
    typed = ["vectors", "train", "Own", str(tmp_path / "own"), "--corpus", "pairs", "--dims", "4", "--words-of", "small"]
    done = CliRunner().invoke(app, typed)
    assert done.exit_code == 0, done.output
    [kept] = static_library.entries([workspace])
    assert (kept.name, kept.dims, kept.languages) == ("Own", 4, ("de", "en"))
    assert (tmp_path / "own" / "de.vec").read_text(encoding="utf-8").startswith("1 4\nkatze ")
