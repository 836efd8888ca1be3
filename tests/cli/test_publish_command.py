"""`publish`: an atlas from the command line, and what is refused before anything is computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from isogloss.backend.boards import board
from isogloss.backend.errors import ModelError, SpecError, StoreError
from tests.atlas.atlas_workspace import MODEL, fill
from tests.cli.typed import output

if TYPE_CHECKING:
    from pathlib import Path


def test_a_model_a_board_and_the_workspace_are_published(workspace: Path, tmp_path: Path) -> None:
    fill(workspace)
    said = output("publish", "-o", str(tmp_path / "all"))
    assert f"'Scores' published in {tmp_path / 'all'}: 0 figures, 1 grid, " in said
    assert said.rstrip().endswith(" MB.")
    output("publish", "--model", MODEL, "-o", str(tmp_path / "model"), "--title", "Ours", "--author", "A", "--author", "B")
    assert '- name: "B"' in (tmp_path / "model" / "CITATION.cff").read_text(encoding="utf-8")
    assert "<title>Figures · Ours</title>" in (tmp_path / "model" / "index.html").read_text(encoding="utf-8")
    board.create(workspace, "Empty")
    output("publish", "--board", "Empty", "-o", str(tmp_path / "board"))
    assert not (tmp_path / "board" / "abx.html").exists()


def test_what_is_wrong_is_said_first(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "x").write_text("")
    for error, why, *words in (
        (SpecError, "two atlases", "--board", "A", "--model", "B", "-o", "new"),
        (StoreError, "is no atlas of Isogloss", "-o", "taken"),
        (StoreError, "There is no board 'A'", "--board", "A", "-o", "new"),
        (ModelError, "There is no model 'B'", "--model", "B", "-o", "new"),
        (StoreError, "no scores to publish", "-o", "new"),
    ):
        with pytest.raises(error, match=why):
            output("publish", *words[:-1], str(tmp_path / words[-1]))
    assert not (tmp_path / "new").exists()


def test_a_published_atlas_is_imported_listed_and_removed(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = tmp_path / "theirs"
    fill(theirs, plain=True)
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(theirs))
    output("publish", "-o", str(tmp_path / "site"), "--title", "Their atlas")
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(workspace))
    assert output("import", "list") == "No atlas.\n"
    said = output("import", "atlas", str(tmp_path / "site"))
    assert said == "'Their atlas' imported: 3 files of scores. Its models are on all pages.\n"
    assert output("import", "list").splitlines()[1].split()[-1] == "3"
    assert "Theirs" in output("models", "list")
    assert output("import", "remove", "Their atlas") == "'Their atlas' removed.\n"
    with pytest.raises(StoreError, match="is no atlas of Isogloss"):
        output("import", "atlas", str(tmp_path))
