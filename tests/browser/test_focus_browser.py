"""Of many lines the one under the pointer stands out, in a real browser, and all are as they were when it goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from settled import settle

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
FAINT = """() => [...document.querySelector(".js-plotly-plot").querySelectorAll(".scatterlayer .trace")]
    .map((each) => [each.__data__[0].trace.legendgroup, Number(each.style.opacity || 1) < 0.5])"""


def test_the_line_under_the_pointer_stands_out(page: Page, demo_url: str) -> None:
    page.goto(f"{demo_url}/abx?view=Curves&lines=Each+layer")
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    settle(page)
    assert not any(faint for _, faint in page.evaluate(FAINT))
    point = page.locator(".js-plotly-plot .scatterlayer .trace .points path").first
    box = point.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] - 40, box["y"] - 40)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=5)
    page.wait_for_function(f"() => ({FAINT})().some(([, faint]) => faint)")
    seen = {group for group, faint in page.evaluate(FAINT) if not faint}
    faint = {group for group, faint in page.evaluate(FAINT) if faint}
    assert len(seen) == 1
    assert len(faint) > 2
    assert not seen & faint, "a line's band goes with it"
    page.mouse.move(2, 2)
    page.wait_for_function(f"() => !({FAINT})().some(([, faint]) => faint)")
