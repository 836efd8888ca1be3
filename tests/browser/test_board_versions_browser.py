"""A board kept at a meeting is opened again in a browser: the numbers of then beside those of now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from isogloss.backend.boards import board
from tests.boards.test_board import measured, pinned

if TYPE_CHECKING:
    from dashboard_server import Server
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


def test_the_numbers_of_a_meeting_stand_beside_those_of_now(server: Server, page: Page) -> None:
    measured(server.workspace, 0.9)
    on = board.create(server.workspace, "Weekly")
    pin = pinned(server.workspace, on, "First")
    page.goto(f"{server.url}/boards?board={on.id}")
    page.get_by_role("button", name="Keep a version").click()
    page.get_by_label("Title", exact=True).fill("Meeting of May")
    page.get_by_role("button", name="Keep", exact=True).click()
    expect(page.get_by_role("combobox", name="Version")).to_be_visible()
    measured(server.workspace, 0.7)
    page.goto(f"{server.url}/boards?board={on.id}")
    page.get_by_role("combobox", name="Version").click()
    page.get_by_role("option", name="Meeting of May").click()
    expect(page.get_by_text("by 0.2 at most")).to_be_visible()
    page.get_by_text("Beside now", exact=True).click()
    figures = page.locator(f".st-key-beside-{pin.id} .js-plotly-plot")
    expect(figures).to_have_count(2)
    for figure, meaning in zip(figures.all(), ("0.900", "0.700"), strict=True):
        expect(figure.locator(".heatmap-label text").filter(has_text=meaning)).to_have_count(2)
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator(f".st-key-beside-{pin.id} .js-plotly-plot")).to_have_count(2)
