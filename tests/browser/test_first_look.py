"""What a page shows first: its title where every page has it, nothing that moves once it is drawn, and few controls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from settled import settle, unfold
from visitors import visitor

from isogloss.backend.experiments.registry import FAMILIES

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser
PAGES = ["/", "/library", "/boards", "/jobs", *(f"/{family.name}" for family in FAMILIES if family.menu)]
MOVED = 0.1
"""Shift of a page's layout while it loads, up to which web.dev calls it good."""
SHIFT = """
() => new Promise((tell) => setTimeout(tell, 3000, 0) && new PerformanceObserver((list) => {
    tell(list.getEntries().filter((each) => !each.hadRecentInput).reduce((sum, each) => sum + each.value, 0));
}).observe({type: "layout-shift", buffered: true}))
"""
"""What moved since the page was asked for: mostly the menu a little. Nothing is told of nothing, hence the clock."""
MOST = 35
"""Controls in view at once."""
CONTROLS = """
() => {
    const every = (root) => [...root.querySelectorAll("*")].flatMap((each) => [each, ...within(each)]);
    const within = (each) => each.shadowRoot ? every(each.shadowRoot) : [];
    const part = (each) => each.closest("[data-testid=stSelectbox], [data-testid=stMultiSelect]")
        && ["Open", "Clear all"].includes(each.getAttribute("aria-label"));
    const seen = (each) => {
        const box = each.getBoundingClientRect();
        return box.width > 1 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth
            && each.checkVisibility({checkOpacity: true, checkVisibilityCSS: true});
    };
    return every(document)
        .filter((each) => each.matches("a[href], button, input, textarea, summary, [role=slider]") && !part(each))
        .map((each) => [each, each.matches("[type=radio], [type=checkbox]") ? each.closest("label") : each])
        .filter(([, drawn]) => seen(drawn)).map(([each]) => each.getAttribute("aria-label") || each.innerText || each.type);
}
"""
"""Links, buttons and inputs in view; a select box is one, and each help, step of a number and cross of a choice is one too."""


def test_titles_stand_at_one_height_nothing_moves_and_controls_are_few(browser: Browser, demo_url: str) -> None:
    """In a browser that has none of the page's scripts yet: what comes late moves what is there."""
    tops: set[int] = set()
    moved: dict[str, float] = {}
    controls: dict[str, list[str]] = {}
    for path in PAGES:
        with visitor(browser) as page:
            page.set_viewport_size({"width": 1440, "height": 900})
            page.goto(demo_url + path)
            title = page.get_by_role("heading", level=1)
            expect(title).to_be_visible()
            settle(page)
            tops.add(round(title.bounding_box()["y"]))  # type: ignore[index]
            moved[path] = page.evaluate(SHIFT)
            controls[path] = page.evaluate(CONTROLS)
    print({path: (round(shift, 3), len(controls[path])) for path, shift in moved.items()})
    assert len(tops) == 1, tops
    assert {path: shift for path, shift in moved.items() if shift >= MOVED} == {}
    assert all(len(seen) > len(FAMILIES) for seen in controls.values())
    assert {path: seen for path, seen in controls.items() if len(seen) > MOST} == {}


def test_a_form_of_runs_shows_few_controls_before_more_is_asked_for(browser: Browser, demo_url: str) -> None:
    with visitor(browser) as page:
        page.set_viewport_size({"width": 1440, "height": 900})
        page.goto(demo_url + "/transfer")
        unfold(page, page.get_by_text("Train models", exact=True))
        expect(page.get_by_text("runs to train").first).to_be_visible()
        settle(page)
        seen = page.evaluate(CONTROLS)
        assert len(seen) <= MOST, seen
        unfold(page, page.get_by_text("More", exact=True).first)
        for label in ("Algorithms", "Learning rates", "Training rows"):
            expect(page.get_by_text(label, exact=True).filter(visible=True)).to_have_count(1)


@pytest.mark.parametrize("width", [640, 800, 840])
def test_what_is_compared_stays_where_it_is_in_a_narrow_window(browser: Browser, demo_url: str, width: int) -> None:
    """Boxes and buttons stand in lines there, as many while their scripts come as afterwards."""
    with visitor(browser) as page:
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"{demo_url}/abx?view=Compare")
        settle(page)
        assert page.evaluate(SHIFT) < MOVED
