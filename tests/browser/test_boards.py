"""A board in a real browser: pinned from a page, seen and annotated by two people at once, opened where it was pinned."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
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
        one.get_by_role("link", name="Boards").click()
        for page in (one, other):
            page.goto(one.url) if page is other else None
            expect(page.get_by_text("layer 2 language pairs")).to_be_visible()
            expect(page.locator(FIGURE).first).to_be_visible()
            expect(page.get_by_text("![x](https://example.org/x.png)")).to_be_visible()
        write(other, "Add a note", "Seen by two")
        expect(one.get_by_text("Seen by two")).to_be_visible()  # without a press
        write(one, "Add a note", "And answered")
        expect(other.get_by_text("And answered")).to_be_visible()
        one.get_by_role("button", name="Take off").click()
        expect(other.get_by_text("Nothing is pinned to this board")).to_be_visible()
        other.get_by_text("Taken off this board: 1").click()
        other.get_by_role("button", name="Put back").click()
        expect(one.get_by_text("And answered")).to_be_visible()
        one.get_by_role("link", name="Open").click()
        expect(one).to_have_url(re.compile(r"/abx\?.*&view=Pairs&.*&pair_layer=2(&|$)"))  # all of the view is written out
        expect(one.locator(FIGURE).first).to_be_visible()
