"""From a cell of the transfer matrix to its examples, by click and by keyboard, and back from the link."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from settled import click_figure
from visitors import visitor

if TYPE_CHECKING:
    from dashboard_server import Server
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser
NAMES = ["Chinese", "English", "German"]
"""The languages in the order of rows and columns."""


@pytest.fixture(scope="module")
def server(fine_tuned: Server) -> Server:
    return fine_tuned


def click(page: Page, row: str, column: str) -> None:
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    click_figure(page, (NAMES.index(column) + 0.5) / len(NAMES), (NAMES.index(row) + 0.5) / len(NAMES))


def chosen(page: Page) -> list[str]:
    boxes = page.get_by_test_id("stMain").get_by_test_id("stSelectbox")
    labels = ("Model", "Trained on", "Evaluated in")
    return [boxes.filter(has_text=re.compile(f"^{label}")).locator("input").first.input_value() for label in labels]


def test_a_cell_opens_its_examples_and_the_link_restores_them(page: Page, browser: Browser, server: Server) -> None:
    page.goto(f"{server.url}/transfer?data=Small+task&model=Demo+MLM")
    click(page, "Chinese", "English")
    expect(page.get_by_text("right in Chinese, wrong in English", exact=False)).to_be_visible()
    assert chosen(page)[1:] == ["Chinese · zh", "English · en"]
    expect(page.get_by_text(re.compile(r"Sentence \d+ in zh\.")).first).to_be_visible()

    with visitor(browser, server.url) as fresh:
        fresh.goto(page.url)
        expect(fresh.get_by_text("right in Chinese, wrong in English", exact=False)).to_be_visible()
        assert chosen(fresh) == chosen(page)

    box = (
        page.get_by_test_id("stMain")
        .get_by_test_id("stSelectbox")
        .filter(has_text=re.compile("^Evaluated in"))
        .locator("input")
    )
    box.focus()
    page.keyboard.type("Germ")
    expect(page.get_by_role("option")).to_have_text(["German · de"])
    page.keyboard.press("Enter")
    expect(page.get_by_text("right in Chinese, wrong in German", exact=False)).to_be_visible()


def test_a_cell_of_accuracy_opens_validation_examples_twice(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/transfer?data=Small+task&model=Demo+MLM&transfer=Test+accuracy")
    for _ in range(2):
        click(page, "English", "Chinese")
        expect(page.get_by_text("of 20 examples", exact=False)).to_be_visible()
        expect(page.get_by_text("step 100 of the run with learning rate 1e-05, seed 0", exact=False)).to_be_visible()
        page.get_by_test_id("stButtonGroup").get_by_text("Matrix", exact=True).click()
        expect(page.get_by_text("of 20 examples", exact=False)).to_be_hidden()
