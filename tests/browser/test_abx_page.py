"""The ABX page in a real browser: the demo's heatmaps, a click on a cell, links that restore a view, every view drawn."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote_plus

import pytest
from playwright.sync_api import expect
from settled import click_figure, settle

from isogloss.pages.home.figures import FIGURES

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
VIEWS = ["Layers × checkpoints", "Curves", "Languages", "Pairs", "Relations", "Compare"]


def settled(page: Page) -> None:
    expect(page.get_by_role("heading", name="ABX discrimination")).to_be_visible()
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    settle(page)


def test_home_leads_to_a_page_whose_every_view_draws(page: Page, demo_url: str) -> None:
    page.goto("/")
    expect(page.get_by_text("Does a layer tell languages and meanings apart?")).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_have_count(len(FIGURES) - 1)  # the demo has no latent language
    settle(page)
    drawn = page.locator(".st-key-card-transfer .js-plotly-plot").bounding_box()
    assert drawn is not None
    page.mouse.click(drawn["x"] + drawn["width"] / 2, drawn["y"] + drawn["height"] / 4)  # the whole card is the link
    expect(page).to_have_url(re.compile("/transfer[?].*view=Matrix"))
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    page.get_by_test_id("stSidebarNavLink").filter(has_text="ABX").click()
    for view in [*VIEWS[1:], VIEWS[0]]:
        radio = page.locator(".st-key-view").get_by_role("radio", name=view, exact=True)
        radio.click()
        expect(radio).to_be_checked()
        settled(page)
        expect(page).to_have_url(re.compile(f"view={re.escape(quote_plus(view))}(&|$)"))
        expect(page.get_by_test_id("stException")).to_have_count(0)
        expect(page.locator("[data-testid=stAlertContentError]")).to_have_count(0)


def click_cell(page: Page, column: int, row_from_top: int) -> None:
    """Click the middle of a cell of the first heatmap: eight checkpoints across, five layers up."""
    click_figure(page, (column + 0.5) / 8, (row_from_top + 0.5) / 5)


def test_a_click_on_a_cell_opens_its_pairs(page: Page, demo_url: str) -> None:
    page.goto(f"{demo_url}/abx")
    settled(page)
    shapes, heatmaps = (page.locator(f".js-plotly-plot {each}").count() for each in ("path.point", ".hm"))
    assert 0 < shapes <= heatmaps  # forty cells of each answer, and one has a shape
    # the same cell again, and another, when the select boxes have been there before
    for column, row, checkpoint, layer in ((7, 1, 2000, 3), (7, 1, 2000, 3), (4, 3, 300, 1)):
        click_cell(page, column, row)
        expect(page.get_by_role("heading", name="One pair")).to_be_visible()
        expect(page).to_have_url(re.compile(f"view=Pairs.*pair_layer={layer}"))
        expect(page.locator(".js-plotly-plot").first).to_contain_text(f"checkpoint-{checkpoint}, layer {layer}")
        page.locator(".st-key-view").get_by_role("radio", name=VIEWS[0], exact=True).click()
        expect(page.get_by_role("heading", name="One pair")).to_be_hidden()


def test_a_link_restores_the_view(page: Page, demo_url: str) -> None:
    page.goto(f"{demo_url}/abx?view=Pairs&pair_layer=4&pair_source=Arabic+·+ar&pair_target=Chinese+·+zh")
    settled(page)
    expect(page.locator(".js-plotly-plot").first).to_contain_text("layer 4")
    for box, language in (("Language", "Arabic · ar"), ("and", "Chinese · zh")):
        expect(page.get_by_role("combobox", name=box, exact=True)).to_have_value(language)
