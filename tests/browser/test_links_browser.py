"""Links and the browser's history in a real browser: one step a view or cell, a link in the clipboard."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect
from settled import click_figure, settle
from visitors import visitor

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser
OVERVIEW, CURVES, PAIRS = "Layers × checkpoints", "Curves", "Pairs"


def check(page: Page, view: str) -> None:
    """This view is drawn, and the address names it."""
    expect(page.locator(".st-key-view").get_by_role("radio", name=view, exact=True)).to_be_checked()
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    settle(page)
    assert asked(page.url)["view"] == [view]


def asked(url: str) -> dict[str, list[str]]:
    return parse_qs(urlsplit(url).query, keep_blank_values=True)


def entries(page: Page) -> int:
    return int(page.evaluate("history.length"))


def test_back_steps_through_views_and_cells_and_the_address_is_a_link(browser: Browser, demo_url: str) -> None:
    with visitor(browser) as page:  # a browser keeps fifty entries of a tab's history
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.goto(f"{demo_url}/abx")
        check(page, OVERVIEW)
        before, first = entries(page), page.url
        assert asked(first)["model"] == ["Demo MLM", "Demo MLM + translation contrast"]
        assert len(asked(first)["languages"]) == 10
        page.locator(".st-key-view").get_by_role("radio", name=CURVES).click()
        check(page, CURVES)
        page.locator(".st-key-lines").get_by_role("radio", name="Each").click()  # no view: no step
        expect(page).to_have_url(re.compile("lines=Each"))
        settle(page)
        page.locator(".st-key-view").get_by_role("radio", name=OVERVIEW).click()
        check(page, OVERVIEW)
        click_figure(page, 7.5 / 8, 1.5 / 5)
        check(page, PAIRS)
        assert asked(page.url)["pair_layer"] == ["3"]
        assert entries(page) == before + 3

        page.get_by_role("button", name="Copy link").click()
        expect(page.get_by_role("button", name="Link copied")).to_be_visible()
        copied = asked(page.evaluate("navigator.clipboard.readText()"))
        assert re.fullmatch("Demo sentences~[0-9a-f]{8}", copied["corpus"][0])
        assert copied["shared_scale"] == ["true"]

        page.go_back()
        check(page, OVERVIEW)
        page.go_back()
        check(page, CURVES)
        expect(page.locator(".st-key-lines").get_by_role("radio", name="Each")).to_be_checked()
        page.go_back()
        check(page, OVERVIEW)
        assert page.url == first
        page.go_forward()
        check(page, CURVES)
        assert entries(page) == before + 3
        page.reload()  # everything is written out now: that makes no entries either
        check(page, CURVES)
        assert entries(page) == before + 3


def test_back_from_another_page_shows_what_was_left(browser: Browser, demo_url: str) -> None:
    """Alignment has controls of the same names, the Library is complete before the browser is there, Home has no name."""
    cell = "view=Pairs&model=Demo+MLM&languages=German+·+de&languages=English+·+en&pair_layer=2&pair_checkpoint=checkpoint-100"
    with visitor(browser) as page:
        page.goto(f"{demo_url}/abx?{cell}")
        check(page, PAIRS)
        left = page.url
        assert asked(left)["pair_checkpoint"] == ["checkpoint-100"]
        for other in ("Alignment", "Library", "Home"):
            page.get_by_role("link", name=other, exact=True).first.click()
            page.wait_for_url(re.compile("/(?!abx)[a-z]*([?].*)?$"))
            settle(page)
            page.go_back()
            check(page, PAIRS)
            assert page.url == left, other
