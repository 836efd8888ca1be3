"""A board in a real browser: pinned from a page, seen and annotated by two people at once, opened where it was pinned."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from settled import settle
from visitors import visitor

if TYPE_CHECKING:
    from dashboard_server import Server
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser
FIGURE = ".js-plotly-plot .main-svg"


def write(page: Page, button: str, text: str) -> None:
    page.get_by_role("button", name=button).first.click()
    page.get_by_role("textbox", name="Note").fill(text)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text(text.splitlines()[0])).to_be_visible()


def _present(page: Page) -> None:
    """Show the board's two figures alone, the first one at another layer and with its notes, by keys."""
    page.get_by_role("button", name="Present").click()
    alone = page.locator(".st-key-presented")
    expect(alone.get_by_role("heading", name=re.compile("language pair, layer 2 .* 1 of 2"))).to_be_visible()
    expect(alone.locator(".js-plotly-plot").first).to_contain_text("layer 2")
    expect(page.get_by_role("heading", name="Boards")).not_to_be_visible()
    expect(alone.get_by_text("Seen by two")).to_have_count(0)
    settle(page)
    page.keyboard.press("n")
    expect(alone.get_by_text("Seen by two")).to_be_visible()
    page.keyboard.press("ArrowUp")
    expect(alone.get_by_role("heading", name=re.compile("language pair, layer 3 .* 1 of 2"))).to_be_visible()
    expect(alone.locator(".js-plotly-plot").first).to_contain_text("layer 3")
    box = alone.locator(".js-plotly-plot").first.bounding_box()
    note = alone.get_by_text("And answered").bounding_box()
    assert box is not None
    assert note is not None
    assert box["height"] > 320
    assert box["y"] + box["height"] <= note["y"]
    page.keyboard.press("ArrowRight")
    expect(alone.get_by_role("heading", name="2 of 2")).to_be_visible()
    settle(page)
    expect(page).to_have_url(re.compile("present=2"))
    page.keyboard.press("ArrowLeft")
    expect(alone.get_by_role("heading", name="1 of 2")).to_be_visible()
    settle(page)
    page.keyboard.press("Escape")
    expect(alone).to_have_count(0)
    expect(page.get_by_role("heading", name="Boards")).to_be_visible()
    settle(page)


def test_a_meeting(browser: Browser, demo_server: Server) -> None:
    demo_url = demo_server.url
    with visitor(browser, demo_url) as one, visitor(browser, demo_url) as other:
        one.goto(f"{demo_url}/boards")
        expect(one.get_by_text("A board collects figures for a meeting")).to_be_visible()
        one.goto(f"{demo_url}/abx?view=Pairs&pair_layer=2")
        expect(one.locator(FIGURE).first).to_be_visible()
        one.get_by_role("button", name="Pin").first.click()
        one.get_by_label("Title of the board").fill("Tuesday")
        one.get_by_role("textbox", name="Note").fill("Layer 2\n![x](https://example.org/x.png)")
        one.get_by_role("button", name="Pin", exact=True).last.click()
        expect(one.get_by_text("Pinned to the board Tuesday")).to_be_visible()
        settle(one)  # a click on another page may be lost while this one draws
        one.get_by_role("link", name="Boards").click()
        for page in (one, other):
            page.goto(one.url) if page is other else None
            expect(page.get_by_text("1. ABX discrimination by language pair, layer 2 · Demo MLM")).to_be_visible()
            expect(page.locator(FIGURE).first).to_be_visible()
            expect(page.get_by_role("link", name="x", exact=True)).to_be_visible()
            expect(page.locator("img[src*='example.org']")).to_have_count(0)
        write(other, "Add a note", "Seen by two")
        expect(one.get_by_text("Seen by two")).to_be_visible()  # without a press
        write(one, "Add a note", "And answered")
        expect(other.get_by_text("And answered")).to_be_visible()
        one.get_by_role("button", name="More", exact=True).click()
        one.get_by_role("button", name="Remove").click()
        expect(other.get_by_text("Nothing is pinned to this board")).to_be_visible()
        other.get_by_text("Removed from this board: 1").click()
        other.get_by_role("button", name="Put back").click()
        expect(one.get_by_text("And answered")).to_be_visible()
        one.get_by_role("link", name="Open").click()
        expect(one).to_have_url(re.compile(r"/abx\?.*&view=Pairs&.*&pair_layer=2(&|$)"))  # all of the view is written out
        expect(one.locator(FIGURE).first).to_be_visible()
        one.get_by_role("button", name="Pin").first.click()
        one.get_by_role("textbox", name="Note").fill("Once more")
        one.get_by_role("button", name="Pin", exact=True).last.click()
        expect(one.get_by_text("Pinned to the board Tuesday")).to_be_visible()
        settle(one)  # a click on another page may be lost while this one draws
        one.get_by_role("link", name="Boards").click()
        expect(one.locator("[class*=st-key-pin-] .js-plotly-plot")).to_have_count(2)
        _present(one)
