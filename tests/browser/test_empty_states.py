"""A workspace without anything, and no demo: every page says what to do next, and its ways lead there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
WORDS = {
    "/": "Measurements of models need a corpus and a model first.",
    "/abx": "ABX needs a corpus and a model. Add both in the Library, then come back.",
    "/emergent": "No emergent-language corpus is saved yet. Add your own in the Library, make one below, or grow one",
    "/emergent?view=Leaderboard": "XferBench as printed (table 5)",
    "/library": "Upload the files of a parallel corpus above",
    "/library?shelf=Models": "Add one above: from the catalogue, by its Hub id, or from a folder of the server.",
    "/jobs": "Choose a model and a corpus on a measurement's page and press Compute or Train",
    "/jobs?jobs-view=Storage": "embeddings are saved up to",
}


def test_every_page_says_what_to_do_next(page: Page, server) -> None:
    for path, words in WORDS.items():
        page.goto(path)
        expect(page.get_by_text(words, exact=False)).to_be_visible()
        expect(page.get_by_test_id("stException")).to_have_count(0)
        expect(page.get_by_test_id("stAlertContentError")).to_have_count(0)
    assert [path.name for path in server.workspace.iterdir()] == ["server.log"]  # looking writes nothing

    page.goto("/abx")
    page.get_by_role("link", name="Add a model").click()
    expect(page).to_have_url(re.compile("shelf=Models"))
    expect(page.get_by_text("No model is saved yet.")).to_be_visible()


def test_nothing_chosen_is_said_where_the_figures_would_be(page: Page, demo_url: str) -> None:
    page.goto(f"{demo_url}/abx")
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    page.get_by_test_id("stMultiSelect").filter(has_text="Models").get_by_role("button", name="Clear all").click()
    expect(page.get_by_text("Choose a model in the side bar.")).to_be_visible()
