"""A figure alone in the window: opened by its button or a link, stepped by arrow keys, left by escape."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from settled import settle

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


def test_a_figure_fills_the_window_and_listens_to_arrow_keys(page: Page, demo_url: str) -> None:
    page.goto("/abx?view=Pairs&model=Demo+MLM")
    page.get_by_role("button", name="More", exact=True).first.click()
    page.get_by_role("button", name="Present").click()
    alone = page.locator(".st-key-presented")
    expect(alone.locator(".js-plotly-plot").first).to_contain_text("checkpoint-2000, layer 2")
    settle(page)
    expect(page).to_have_url(re.compile("present=1"))
    box = alone.locator(".js-plotly-plot").bounding_box()
    assert box is not None
    assert box["width"] > 1200
    assert box["height"] > 640
    expect(page.get_by_test_id("stSidebar")).not_to_be_visible()
    expect(page.get_by_text("Figure shown alone")).not_to_be_visible()
    digits = alone.locator(".heatmap-label").filter(has_text=re.compile(r"\d"))
    assert digits.first.evaluate("label => label.getBoundingClientRect().height") > 16
    assert digits.count() == 2 * 45  # each pair once

    page.keyboard.press("ArrowUp")
    expect(alone.locator(".js-plotly-plot").first).to_contain_text("checkpoint-2000, layer 3")
    page.keyboard.press("ArrowLeft")
    expect(alone.locator(".js-plotly-plot").first).to_contain_text("checkpoint-1000, layer 3")
    settle(page)
    expect(alone.locator(".js-plotly-plot")).to_have_count(1)  # the one before it is gone
    page.reload()
    expect(alone.locator(".js-plotly-plot").first).to_contain_text("checkpoint-1000, layer 3")
    settle(page)

    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="One pair")).to_be_visible()
    expect(alone).to_have_count(0)
    expect(page).not_to_have_url(re.compile("present"))
    expect(page.get_by_label("Layer", exact=True)).to_be_visible()
    settle(page)
    page.go_back()
    expect(alone.locator(".js-plotly-plot").first).to_contain_text("checkpoint-1000, layer 3")
