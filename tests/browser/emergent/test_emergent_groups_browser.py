"""The groups of views on the Emergent page in a browser: links, clicks, reload and Back; each group fits in one row."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote_plus

import pytest
from playwright.sync_api import expect
from settled import settle

from tests.pages.emergent import benchmark_workspace as made

if TYPE_CHECKING:
    from dashboard_server import Server
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
ROW = 40
"""Pixels: a row of segments is lower, two are higher."""


def check(page: Page, group: str, view: str) -> None:
    """The group and the view are chosen, the URL says so, and nothing wraps."""
    for key, name in (("view-group", group), ("view", view)):
        control = page.locator(f".st-key-{key}")
        expect(control.get_by_role("radio", name=name, exact=True)).to_be_checked()
        box = control.bounding_box()
        assert box is not None
        assert box["height"] < ROW, (key, box)
    expect(page).to_have_url(re.compile(f"[?&]view={re.escape(quote_plus(view))}(&|$)"))
    settle(page)


def choose(page: Page, key: str, name: str) -> None:
    page.locator(f".st-key-{key}").get_by_role("radio", name=name, exact=True).click()


def test_groups_from_a_link_to_a_server_and_back(page: Page, server: Server) -> None:
    made.fill(server.workspace)
    page.goto("/emergent?view=Scatter&corpora=Mine")  # the very first request; the view was called so once
    check(page, "More", "Score × statistic")
    expect(page.get_by_label("Statistic")).to_be_visible()
    choose(page, "view-group", "Distributions")
    check(page, "Distributions", "Rank–frequency")
    choose(page, "view", "Lengths")
    check(page, "Distributions", "Lengths")
    expect(page.get_by_test_id("stPlotlyChart").get_by_text("Utterance lengths")).to_be_visible()
    choose(page, "view-group", "More")
    check(page, "More", "Score × statistic")
    page.reload()
    check(page, "More", "Score × statistic")
    page.go_back()
    check(page, "Distributions", "Lengths")
    expect(page.get_by_test_id("stPlotlyChart").get_by_text("Utterance lengths")).to_be_visible()
    page.reload()
    check(page, "Distributions", "Lengths")
    log = (server.workspace / "server.log").read_text("utf-8")
    assert "created with a default value but also" not in log, log
