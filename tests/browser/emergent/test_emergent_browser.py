"""The Emergent page in a browser: a corpus is made, its link restores what is seen; a language is grown to the end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from settled import settle, unfold
from visitors import visitor

from isogloss.backend.corpora.emergent import library as emergent_library
from tests.corpora.emergent.utterances import from_utterances

if TYPE_CHECKING:
    from dashboard_server import Server
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser


def paths(page: Page) -> list[str]:
    """The lines drawn."""
    expect(page.locator(".js-plotly-plot .scatterlayer .js-line").first).to_be_attached()
    settle(page)
    return [str(line.get_attribute("d")) for line in page.locator(".js-plotly-plot .scatterlayer .js-line").all()]


def test_a_corpus_is_made_and_its_link_restores_the_view(page: Page, browser: Browser, server: Server) -> None:
    emergent_library.keep(from_utterances([[0, 1, 2], [2, 1]] * 20), "Mine", server.workspace)
    page.goto("/emergent?make=Paren+real&make_of=Mine&make_tokens=3000&make_length=30&view=Positions")
    before = paths(page)
    unfold(page, page.get_by_text("Make a corpus").first)
    page.get_by_role("button", name="Make and save").click()
    expect(page).to_have_url(re.compile("corpora=.*Paren"))
    expect(page.get_by_test_id("stMultiSelect").get_by_text("Paren real of Mine, seed 0")).to_be_visible()
    after = paths(page)
    assert len(before) == 1
    assert len(after) == 2

    with visitor(browser, server.url) as fresh:
        fresh.goto(page.url)
        assert paths(fresh) == after


def test_a_language_is_grown_and_its_success_is_shown(page: Page, server: Server) -> None:
    """Two epochs of a small game by a real worker; the page watches by itself and shows the curve in the end."""
    page.goto("/emergent?make=Signalling+game&game=Quick+reconstruction&game_epochs_quick-reconstruction=2&game_name=Ours")
    expander = page.get_by_text("Make a corpus").first
    expander.wait_for()
    settle(page)
    button = page.get_by_role("button", name=re.compile("^(play_arrow )?Train")).first
    if not button.is_visible():
        unfold(page, expander)
    button.click()
    expect(page.get_by_text("Success over training").first).to_be_visible()
    assert paths(page)
    assert "Ours" in {entry.name for entry in emergent_library.entries([server.workspace])}
    expect(page).to_have_url(re.compile("corpora=Ours"))
