"""What a link to the benchmark brings back: a second variant, options of one's own, groups; and the way to Wikipedia."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from settled import settle, unfold

from backend.corpora.parallel import library
from tests.pages.emergent import benchmark_workspace as made

if TYPE_CHECKING:
    from dashboard_server import Server
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


def test_two_variants_from_a_link_and_back_to_one(page: Page, server: Server) -> None:
    made.more_human_sources(server.workspace, made.fill(server.workspace))
    digits = made.RELEASED.rpartition("/")[2]
    page.goto(f"/emergent?view=Leaderboard&board_paper=false&variant_2=Quick%2C+released+({digits})")
    charts = page.get_by_test_id("stPlotlyChart")
    expect(charts).to_have_count(2)  # the server's first page
    expect(charts.nth(0).get_by_text("XferBench here: Quick, correct")).to_be_visible()
    expect(charts.nth(1).get_by_text("XferBench here: Quick, released")).to_be_visible()
    expect(page.get_by_text("Cross-entropies of two variants do not compare")).to_be_visible()
    box = page.get_by_test_id("stSelectbox").filter(has_text="Compare with")
    box.get_by_role("button", name=re.compile("^Clear")).click()
    expect(charts).to_have_count(1)
    expect(page).not_to_have_url(re.compile("variant_2"))
    page.get_by_test_id("stButtonGroup").get_by_text("More", exact=True).click()  # its first view is Writing systems
    page.get_by_text("Type", exact=True).click()
    expect(page.get_by_text("XferBench here by type of writing")).to_be_visible()
    expect(page).to_have_url(re.compile("board_by=Type"))


def test_options_of_one_s_own_from_a_link_and_the_way_to_wikipedia(page: Page, server: Server) -> None:
    if not library.entries([server.workspace]):
        made.keep_corpora(server.workspace)
    page.goto("/emergent?view=Leaderboard&board_paper=false&bench_preset=Custom&bench_dims=128")
    form = page.get_by_test_id("stExpander").filter(has_text="XferBench")
    expect(form).to_be_visible()
    settle(page)
    if not page.get_by_label("Dimensions", exact=True).is_visible():
        unfold(page, form.get_by_role("paragraph").filter(has_text="XferBench").first)
    dims = page.get_by_label("Dimensions", exact=True)
    expect(dims).to_have_value("128")
    heads = page.get_by_label("Attention heads", exact=True)
    heads.fill("7")
    heads.press("Enter")
    expect(page.get_by_text("dims (128) must be a multiple of heads (7).")).to_be_visible()
    expect(page).to_have_url(re.compile("bench_heads=7"))
    page.get_by_role("link", name="Fetch text of Wikipedia").click()
    expect(page.get_by_role("button", name="Fetch (about 3 min)")).to_be_visible()
    expect(page.get_by_text("up to 180,000,000 characters, some 198 MB of text")).to_be_visible()
