"""The Library's emergent corpora in a real browser: dropped, decided on, kept, opened, downloaded, renamed and removed."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from settled import unfold

from isogloss.backend.corpora.emergent import library as emergent_library

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

ROWS = [[i % 5, 20, i % 3] for i in range(125)]
GAME = "".join(f"{json.dumps(row)}\n" for row in ROWS)


def file(name: str, content: bytes) -> dict[str, object]:
    return {"name": name, "mimeType": "application/octet-stream", "buffer": content}


def test_emergent_corpora_from_files_to_removal(page: Page, server, tmp_path: Path) -> None:
    page.goto("/library?shelf=Emergent")
    expect(page.get_by_text("No emergent corpus is saved yet.")).to_be_visible()
    uploader = page.locator("[data-testid=stFileUploader] input[type=file]")
    broken = file("game.jsonl.gz", gzip.compress(f"{GAME}[-4]\n[1.5]\n".encode()))
    uploader.set_input_files([broken, file("said.csv", b"n,message\n1,wa tok\n2,<b>tok\n"), file("x.txt", b"\0\1" * 99)])  # type: ignore[list-item]
    page.get_by_role("button", name="Read", exact=True).click()
    expect(page.get_by_text("x.txt: The file is binary, or not UTF-8 text.")).to_be_visible()
    expect(page.get_by_text("JSON Lines of integer arrays, gzip · 375 tokens · 125 utterances · 6 symbols")).to_be_visible()
    expect(page.get_by_text("Left out · a negative id: 1 · not an integer: 1")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    page.get_by_text("Utterances", exact=True).first.click()
    expect(page.get_by_role("cell", name="4 20 1")).to_be_visible()
    page.get_by_label("Name").first.fill("Game")
    page.get_by_label("Name").first.press("Enter")
    page.get_by_role("button", name="Save 2 corpora without 2 broken rows").click()
    expect(page.get_by_test_id("stToast").first).to_be_visible()
    expect(page.get_by_role("button", name="Save")).to_have_count(0)
    assert [(e.name, e.tokens) for e in emergent_library.entries([server.workspace])] == [("Game", 375), ("said", 3)]

    page.reload()
    unfold(page, page.get_by_text("said", exact=True))
    expect(page.get_by_role("cell", name="<b>tok")).to_be_visible()
    unfold(page, page.get_by_text("said", exact=True))
    expect(page.get_by_role("cell", name="<b>tok")).to_have_count(0)
    unfold(page, page.get_by_text("Game", exact=True))
    expect(page.get_by_text("2 rows left out")).to_be_visible()
    expect(page.get_by_role("cell", name="4 20 1")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download JSON Lines").click()
    assert download.value.suggested_filename == "game.jsonl"
    download.value.save_as(tmp_path / "out.jsonl")
    assert [json.loads(row) for row in (tmp_path / "out.jsonl").read_text().splitlines()] == ROWS
    page.get_by_role("button", name="Rename", exact=True).click()
    page.get_by_role("dialog").get_by_label("Name").fill("Our game")
    page.get_by_role("dialog").get_by_label("Name").press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Rename").click()
    expect(page.get_by_text("Our game", exact=True)).to_be_visible()
    unfold(page, page.get_by_role("button", name="Remove", exact=True))
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_text("Our game is removed.")).to_be_visible()
    assert [entry.name for entry in emergent_library.entries([server.workspace])] == ["said"]
