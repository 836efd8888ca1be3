"""The ABX page in a real browser: the demo's heatmaps, a click on a cell, links that restore a view, every view drawn."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from settled import click_figure, settle

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
VIEWS = ["Layers × checkpoints", "Curves", "Languages", "Pairs", "Relations", "Compare"]


def settled(page: Page) -> None:
    expect(page.get_by_role("heading", name="ABX discrimination")).to_be_visible()
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    settle(page)


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_draws_and_none_fails(page: Page, demo_url: str, view: str) -> None:
    page.goto(f"{demo_url}/abx?view={view}")
    settled(page)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page.locator("[data-testid=stAlertContentError]")).to_have_count(0)


def click_cell(page: Page, column: int, row_from_top: int) -> None:
    """Click the middle of a cell of the first heatmap: eight checkpoints across, five layers up."""
    click_figure(page, (column + 0.5) / 8, (row_from_top + 0.5) / 5)


def test_a_click_on_a_cell_opens_its_pairs(page: Page, demo_url: str) -> None:
    page.goto(f"{demo_url}/abx")
    settled(page)
    click_cell(page, 7, 1)
    expect(page.get_by_role("heading", name="One pair")).to_be_visible()
    expect(page).to_have_url(re.compile("view=Pairs"))
    expect(page).to_have_url(re.compile("pair_layer=3"))
    expect(page.locator(".js-plotly-plot").first).to_contain_text("checkpoint-2000, layer 3")
    page.get_by_role("radio", name="Layers × checkpoints").or_(page.get_by_role("button", name="Layers × checkpoints")).click()
    settled(page)
    settle(page)
    click_cell(page, 4, 3)  # a second click, when the select boxes have been there before
    expect(page.get_by_role("heading", name="One pair")).to_be_visible()
    expect(page.locator(".js-plotly-plot").first).to_contain_text("checkpoint-300, layer 1")
    expect(page).to_have_url(re.compile("pair_layer=1"))


def test_a_link_restores_the_view(page: Page, demo_url: str) -> None:
    page.goto(f"{demo_url}/abx?view=Pairs&pair_layer=4&pair_source=Arabic+·+ar&pair_target=Chinese+·+zh")
    settled(page)
    expect(page.get_by_text("layer 4").first).to_be_visible()
    expect(page.get_by_text("Arabic · ar").last).to_be_visible()


def test_home_shows_a_real_figure(page: Page, demo_url: str) -> None:
    page.goto(demo_url)
    expect(page.get_by_text("Does a layer tell languages apart?")).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_have_count(6)
    expect(page.get_by_test_id("stException")).to_have_count(0)
