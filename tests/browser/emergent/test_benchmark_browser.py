"""The benchmark's views in a real browser: a link restores them, the printed figure stands beside one's own, a form asks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from settled import unfold

from tests.pages.emergent import benchmark_workspace as made

if TYPE_CHECKING:
    from dashboard_server import Server
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


def test_the_benchmark_from_link_to_link(page: Page, server: Server) -> None:
    made.fill(server.workspace)
    page.goto("/emergent?view=Leaderboard&board_order=By+score&corpora=Mine")
    own = page.get_by_test_id("stPlotlyChart").first
    expect(own.get_by_text("XferBench here: Quick, correct")).to_be_visible()  # the server's first page
    ticks = own.locator(".ytick text")
    expect(ticks).to_have_count(len(made.LEVELS))
    drawn = [(box["y"], str(tick.text_content())) for tick in ticks.all() if (box := tick.bounding_box())]
    order = [text for _, text in sorted(drawn)]
    assert order[0].startswith("English (Text)")
    assert order[-1].startswith("Random")
    expect(page.get_by_test_id("stPlotlyChart")).to_have_count(2)
    expect(page.get_by_text("these numbers are comparable only among themselves")).to_be_visible()
    page.get_by_text("The paper's table 5").click()
    expect(page.get_by_test_id("stPlotlyChart")).to_have_count(1)
    expect(page).to_have_url(re.compile("board_paper=false"))
    page.get_by_test_id("stButtonGroup").get_by_text("Source × target").click()
    expect(page.get_by_test_id("stPlotlyChart").first.get_by_text("Tuned and scored in")).to_be_visible()
    expect(page.get_by_test_id("stPlotlyChart")).to_have_count(1)  # the toggle is the same
    unfold(page, page.get_by_test_id("stExpander").get_by_role("paragraph").filter(has_text="XferBench").first)
    expect(page.get_by_text("11 of 11 runs to train")).to_be_visible()
