"""*Publish* on a board's page: an atlas to take away, as a zip that opens from where it is unpacked."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from visitors import visitor

from isogloss.backend.boards import board
from tests.atlas.atlas_workspace import PERSON, fill
from tests.atlas.test_atlas_folder import pinned
from tests.atlas.test_atlas_sentences import looked_at

if TYPE_CHECKING:
    from pathlib import Path

    from dashboard_server import Server
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser


def test_a_board_is_published_from_its_page(server: Server, browser: Browser, page: Page, tmp_path: Path) -> None:
    fill(server.workspace)
    on = pinned(server.workspace)
    looked_at(server.workspace)
    page.goto(f"{server.url}/boards?board={on}")
    page.get_by_role("button", name="Publish").click()
    page.get_by_label("Licence of the numbers").fill("CC-BY-4.0")
    page.get_by_label("Licence of the numbers").press("Enter")
    tick = page.get_by_role("checkbox", name="Confused sentences that were looked at, of C")
    expect(tick).not_to_be_checked()
    page.get_by_text("(CC0-1.0").click()
    page.get_by_role("button", name="Make the atlas").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download (").click()
    download.value.save_as(tmp_path / "atlas.zip")
    with zipfile.ZipFile(tmp_path / "atlas.zip") as made:
        assert "data/g0-sentences.js" in made.namelist()
        made.extractall(tmp_path / "atlas")
    assert "CC-BY-4.0" in (tmp_path / "atlas" / "CITATION.cff").read_text(encoding="utf-8")
    assert PERSON not in (tmp_path / "atlas" / "index.html").read_text(encoding="utf-8")
    with visitor(browser) as tab:
        tab.context.set_offline(True)
        tab.goto((tmp_path / "atlas" / "index.html").as_uri())
        tab.get_by_role("link", name="ABX", exact=True).click()
        expect(tab.locator("#overview .js-plotly-plot")).to_have_count(3)


def test_what_must_not_leave_is_said_there(server: Server, page: Page) -> None:
    on = board.create(server.workspace, "Meeting")
    board.write_text(server.workspace, on.id, f"See {server.workspace}/x")
    page.goto(f"{server.url}/boards?board={on.id}")
    page.get_by_role("button", name="Publish").click()
    page.get_by_role("button", name="Make the atlas").click()
    expect(page.get_by_test_id("stAlert")).to_contain_text("Nothing was published: index.html would say")


def test_a_model_is_published_from_the_library_and_imported_there(server: Server, page: Page, tmp_path: Path) -> None:
    fill(server.workspace, plain=True)
    page.goto(f"{server.url}/library?shelf=Models")
    page.get_by_text("Theirs").first.click()
    page.get_by_role("button", name="Publish").click()
    page.get_by_role("button", name="Make the atlas").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download (").click()
    download.value.save_as(tmp_path / "atlas.zip")
    page.goto(f"{server.url}/library?shelf=Atlases")
    expect(page.get_by_text("No atlas is imported yet.")).to_be_visible()
    page.locator("input[type=file]").set_input_files(tmp_path / "atlas.zip")
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("is imported:")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Remove")).to_be_visible()
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_text("a row a measure: 3 measures the same")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_text("No atlas is imported yet.")).to_be_visible()
