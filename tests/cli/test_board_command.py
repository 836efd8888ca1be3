"""`board list` and `board report`: a board as a file, without a browser."""

from __future__ import annotations

import io
import zipfile
from functools import partial
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.boards import board, images
from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.boards.records import Explained
from isogloss.backend.errors import StoreError
from isogloss.backend.figures.languages import language_table
from tests.cli.typed import output

if TYPE_CHECKING:
    from pathlib import Path

RECIPE = Recipe((partial(language_table, tags=["de", "fi"]),))


def test_a_board_is_written_as_a_page_and_as_a_zip(workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "browser", lambda: None)
    assert output("board", "list") == "No board.\n"
    with pytest.raises(StoreError, match="Pin a figure"):
        output("board", "report", "Meeting", "-o", str(tmp_path / "meeting.html"))
    on = board.create(workspace, "Meeting")
    card = Explained(name="Languages", text="What it is.", source="S", bibtex="")
    pin = board.pin(workspace, on.id, RECIPE, RECIPE.rows(), None, name="Table", card=card, link="/abx?view=Pairs", alt="")
    board.write_note(workspace, on.id, pin.id, "Look here.")
    assert output("board", "list").splitlines()[1].split() == ["Meeting", on.id, "1"]
    page, archive = tmp_path / "meeting.html", tmp_path / "meeting.zip"
    assert output("board", "report", "Meeting", "-o", str(page)) == f"'Meeting' written to {page}; figures and tables: 1.\n"
    output("board", "report", on.id[:6], "-o", str(archive), "--server", "http://here:1")
    for text, server in (
        (page.read_text(encoding="utf-8"), "http://127.0.0.1:8501"),
        (zipfile.ZipFile(io.BytesIO(archive.read_bytes())).read("report.html").decode(), "http://here:1"),
    ):
        assert "Look here." in text
        assert f"{server}/abx?view=Pairs" in text


def test_what_is_wrong_is_said_before_anything_is_drawn(workspace: Path, tmp_path: Path) -> None:
    twice = [board.create(workspace, "Meeting").id for _ in range(2)]
    for name, file, why in (
        ("Meetin", "a.html", "Did you mean 'Meeting'"),
        ("Meeting", "a.html", f"Several boards.*{twice[0]}"),
        (twice[0], "a.pdf", "neither .html nor .zip"),
        (twice[0], "nowhere/a.html", "cannot be written"),
    ):
        with pytest.raises(StoreError, match=why):
            output("board", "report", name, "-o", str(tmp_path / file))
    assert list(tmp_path.glob("a.*")) == []


def test_a_version_is_kept_listed_and_reported(workspace: Path, tmp_path: Path) -> None:
    on = board.create(workspace, "Meeting")
    card = Explained(name="Languages", text="What it is.", source="S", bibtex="")
    pin = board.pin(workspace, on.id, RECIPE, RECIPE.rows(), None, name="Table", card=card, link="/", alt="")
    board.write_note(workspace, on.id, pin.id, "Then.")
    assert output("board", "versions", "Meeting") == "No version.\n"
    assert output("board", "keep", "Meeting", "--title", "March") == "'March' kept: 1 figure or text.\n"
    board.write_note(workspace, on.id, pin.id, "Later.")
    assert output("board", "versions", "Meeting").splitlines()[1].split()[0] == "March"
    page = tmp_path / "march.html"
    output("board", "report", "Meeting", "-o", str(page), "--version", "March")
    text = page.read_text(encoding="utf-8")
    assert "Then." in text
    assert "Later." not in text
    with pytest.raises(StoreError, match="no version 'April'"):
        output("board", "report", "Meeting", "-o", str(page), "--version", "April")
