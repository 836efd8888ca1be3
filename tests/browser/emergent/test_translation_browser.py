"""Translation and Score × statistic in a real browser: a link restores them, own and printed figures stand apart."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.pages.emergent import translation_workspace as made

if TYPE_CHECKING:
    from dashboard_server import Server
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


def test_figure_three_from_link_to_link(page: Page, server: Server) -> None:
    made.fill(server.workspace)
    page.goto("/emergent?view=Translation&corpora=Mine&mt_source=Mine&mt_setting=Frozen")
    charts = page.get_by_test_id("stPlotlyChart")
    expect(charts).to_have_count(2)
    own, printed = charts.nth(0), charts.nth(1)
    expect(own.get_by_text("Translation and XferBench here: Quick preset, corrected")).to_be_visible()
    expect(own.get_by_text(re.compile(r"^Full: r = −0\.\d\d, n = 5$"))).to_be_visible()
    expect(own.locator(".xtitle, .x2title, .x3title")).to_have_count(3)
    expect(own.locator(".textpoint").filter(has_text="Mine")).to_have_count(3)
    expect(printed.get_by_text("Frozen: r = −0.84 (−0.84), n = 17")).to_be_visible()
    # Nothing is drawn over the axes' titles.
    legend, title = (own.locator(each).first.bounding_box() for each in (".legend", ".xtitle"))
    assert legend is not None
    assert title is not None
    assert legend["y"] >= title["y"] + title["height"] - 2
    expect(page.get_by_text("20.5 and 2.05 with 1")).to_be_visible()
    page.get_by_role("button", name="View options").click()
    page.get_by_test_id("stButtonGroup").get_by_text("BLEU").click()
    expect(page.get_by_text("the paper prints no correlation of BLEU")).to_be_visible()
    expect(page).to_have_url(re.compile("mt_metric=BLEU"))
    page.get_by_text("The paper's figure 3").click()
    expect(charts).to_have_count(1)
    page.locator(".st-key-view-group").get_by_text("More").click()
    page.locator(".st-key-view").get_by_text("Score × statistic").click()
    expect(page.get_by_test_id("stPlotlyChart").first.get_by_text("Spearman ρ")).to_be_visible()
