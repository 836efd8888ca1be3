"""One pair of languages, by a click on the matrix and by the keyboard: shown, in the link, and restored from it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from settled import click_figure, settle
from visitors import visitor

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser
SIDE = 9
"""Rows and columns of ten languages' pairs, in the order of their names: Arabic (a column alone), Chinese, English, German …"""


def drawn(page: Page) -> None:
    expect(page.get_by_role("heading", name="One pair")).to_be_visible()
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    settle(page)


def click(page: Page, row: int, column: int) -> None:
    page.locator(".js-plotly-plot").first.scroll_into_view_if_needed()
    click_figure(page, (column + 0.5) / SIDE, (row + 0.5) / SIDE)


def scores(page: Page) -> list[str]:
    return page.get_by_test_id("stMetricValue").all_inner_texts()


def test_a_pair_is_chosen_by_click_and_keyboard_and_restored_from_its_link(page: Page, browser: Browser, demo_url: str) -> None:
    page.goto(f"{demo_url}/abx?view=Pairs&pair_layer=3")
    drawn(page)
    click(page, 7, 2)  # Spanish and English (a default, such as German second, is not in the link and needs not be)
    expect(page).to_have_url(re.compile(r"pair_source=Spanish.*&pair_target=English"))
    settle(page)
    spanish_english = scores(page)
    click(page, 4, 2)  # Hindi and English
    expect(page).to_have_url(re.compile(r"pair_source=Hindi.*&pair_target=English"))
    settle(page)
    assert scores(page) != spanish_english

    box = page.get_by_test_id("stSelectbox").filter(has_text="and").last.locator("input")
    box.focus()
    page.keyboard.type("Turk")
    expect(page.get_by_role("option")).to_have_text(["Turkish · tr"])
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"pair_source=Hindi.*&pair_target=Turkish"))
    settle(page)
    hindi_turkish = scores(page)

    with visitor(browser, demo_url) as fresh:
        fresh.goto(page.url)
        drawn(fresh)
        inputs = fresh.get_by_test_id("stSelectbox").locator("input")
        shown = [each.input_value() for each in inputs.all()]  # the last box says how many triplets are shown
        assert shown[-3:-1] == ["Hindi · hi", "Turkish · tr"]
        assert scores(fresh) == hindi_turkish

    click(page, 4, 2)  # the cell that was clicked last, after another pair was chosen by keyboard
    expect(page).to_have_url(re.compile(r"pair_source=Hindi.*&pair_target=English"))
