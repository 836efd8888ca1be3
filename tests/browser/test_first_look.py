"""What a page shows first: its title where every page has it, and nothing that moves once it is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from settled import settle

from isogloss.backend.experiments.registry import FAMILIES

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
PAGES = ["/", "/library", "/boards", "/jobs", *(f"/{family.name}" for family in FAMILIES if family.menu)]
MOVED = 0.1
"""Shift of a page's layout while it loads, up to which web.dev calls it good."""
SHIFT = """
() => new Promise((tell) => new PerformanceObserver((list) => {
    tell(list.getEntries().filter((each) => !each.hadRecentInput).reduce((sum, each) => sum + each.value, 0));
}).observe({type: "layout-shift", buffered: true}))
"""
"""What moved since the page was asked for; the menu alone moves a little."""


def test_titles_stand_at_one_height_and_nothing_moves_while_a_page_loads(page: Page, demo_url: str) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    tops: set[int] = set()
    moved: dict[str, float] = {}
    for path in PAGES:
        page.goto(path)
        title = page.get_by_role("heading", level=1)
        expect(title).to_be_visible()
        settle(page)
        tops.add(round(title.bounding_box()["y"]))  # type: ignore[index]
        moved[path] = page.evaluate(SHIFT)
    print({path: round(shift, 3) for path, shift in moved.items()})
    assert len(tops) == 1, tops
    assert {path: shift for path, shift in moved.items() if shift >= MOVED} == {}
    page.set_viewport_size({"width": 1280, "height": 720})
