"""Confused sentences in an atlas: found from the page, listed as the dashboard lists them, and never more than text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from isogloss.backend.experiments.abx import confusions
from tests.atlas.atlas_workspace import fill, published
from tests.atlas.test_atlas_sentences import SENTENCE, consenting, looked_at
from tests.browser.test_atlas_browser import looking, opened

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


def test_hostile_sentences_are_listed_as_they_are(browser: Browser, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    fill(workspace)
    spec = looked_at(workspace)
    folder = published(consenting(workspace), workspace, tmp_path / "site")
    with looking(browser, "dark", 360) as tab:
        opened(tab, folder, "abx.html")
        tab.get_by_role("button", name="German – Finnish").click()
        expect(tab.locator("#sentences li")).to_have_count(5)
        for task in ("meaning", "language"):
            tab.get_by_label("Confused in").select_option(task)
            rows = confusions.of_task(confusions.load(spec, [workspace]), task=task, source="de")
            for place, row in enumerate(rows.to_dict("records")):
                item = tab.locator("#sentences li").nth(place)
                expect(item.locator("bdi").first).to_have_text(row["anchor"])
                assert item.locator("bdi").all_inner_texts()[1:] == [row["right"], row["wrong"]]
                assert f"margin {row['margin']:+.3f}".replace("-", "−") in item.inner_text()
                assert ("is nearer" if row["margin"] < 0 else "is farther") in item.inner_text()
        assert SENTENCE in tab.locator("#sentences").inner_text()
        assert tab.locator("#sentences").locator("img, script").count() == 0
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert "task=language" in tab.url
        tab.reload()
        expect(tab.get_by_label("Confused in")).to_have_value("language")
        expect(tab.locator("#sentences li")).to_have_count(5)
        expect(tab.get_by_role("link", name="All as CSV")).to_have_attribute("href", "tables/g0-sentences.csv")
