"""Every page and view of the demo in a narrow window and in a wide one: nothing is cut, overlaps or comes from afar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect
from settled import settle

from isogloss.backend.experiments.registry import FAMILIES

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
NARROW, WIDE = {"width": 853, "height": 480}, {"width": 1920, "height": 1080}
"""1280 × 720 at a zoom of 150%, and a large screen."""
PAGES = [
    "/",
    "/abx",
    "/abx?view=Curves",
    "/abx?view=Compare",
    "/alignment?view=Distributions",
    "/geometry",
    "/probing",
    "/transfer",
    "/transfer?view=Decomposition",
    "/latent",
    "/tokenisers",
    "/tokenisers?view=Pairs",
    "/emergent?view=Entropies",
    "/emergent?view=Leaderboard",
    "/relations",
    "/library",
    "/jobs",
]
WITHOUT_FIGURES = {"/latent", "/library", "/jobs"}  # the demo has no latent language
FAULTS = """
() => {
    const found = [], main = document.querySelector("[data-testid=stMain]");
    for (const each of [document.documentElement, main]) {
        if (each.scrollWidth > each.clientWidth + 1) found.push(`${each.tagName} scrolls sideways`);
    }
    for (const button of main.querySelectorAll("button")) {
        const box = button.getBoundingClientRect();
        if (button.innerText && box.width && box.right > main.getBoundingClientRect().right + 1) {
            found.push(`cut: ${button.innerText}`);
        }
    }
    for (const figure of document.querySelectorAll(".js-plotly-plot")) {
        const seen = [...figure.querySelectorAll(".xtick text, .legendtext, .xtitle, .annotation-text, .cbaxis text")];
        const drawn = seen.filter((each) => each.textContent.trim());
        const texts = drawn.map((each) => [each.textContent, each.getBoundingClientRect()]);
        texts.forEach(([one, a], place) => texts.slice(place + 1).forEach(([other, b]) => {
            const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
            const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            if (across > 3 && down > 6) found.push(`${one} lies on ${other}`);
        }));
    }
    return found;
}
"""
"""What lies beyond the window or on something else. Half a line of a text's box is blank."""
SIZES = """
() => [...document.querySelectorAll(".js-plotly-plot")].map((each) => each.getBoundingClientRect())
    .map((box) => [Math.round(box.width), Math.round(box.height)])
"""


FAINT = """
() => [...document.querySelectorAll(".js-plotly-plot text")].filter((each) => each.textContent.trim())
    .filter((each) => getComputedStyle(each).fill === "rgb(128, 132, 149)").map((each) => each.textContent)
"""
"""What stands beside figures in Streamlit's grey, of contrast 3.7."""
TOP = """
() => {
    const text = document.createRange();
    text.selectNodeContents(document.querySelector("[data-testid=stMain] h1"));
    return Math.round(text.getBoundingClientRect().top);
}
"""
"""Where the letters of a page's title begin."""


def sizes(page: Page, window: dict[str, int]) -> list[Any]:
    """Of the figures, in this window."""
    page.set_viewport_size(window)  # type: ignore[arg-type]
    settle(page)
    return list(page.evaluate(SIZES))


def test_no_page_overflows_or_asks_another_host_and_figures_take_the_room(page: Page, demo_url: str) -> None:
    faults: dict[str, list[str]] = {}
    tops: dict[str, int] = {}
    asked: list[str] = []
    assert {family.name for family in FAMILIES if family.menu} <= {path[1:].partition("?")[0] for path in PAGES}
    page.on("request", lambda request: asked.append(request.url))
    for path in PAGES:
        page.goto(path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        narrow = sizes(page, NARROW)
        faults[f"{path}, narrow"] = page.evaluate(FAULTS)
        wide = sizes(page, WIDE)
        faults[f"{path}, wide"] = page.evaluate(FAULTS)
        faults[f"{path}, faint"] = page.evaluate(FAINT)
        tops[path] = page.evaluate(TOP)
        assert len(narrow) == len(wide)
        assert narrow or path in WITHOUT_FIGURES
        assert all(after[1] > before[1] for before, after in zip(narrow, wide, strict=True)), (path, narrow, wide)
        assert sum(width for width, _ in wide) > sum(width for width, _ in narrow) or not narrow
        icon = page.locator("link[rel='icon'], link[rel='shortcut icon']").first.get_attribute("href") or ""
        assert icon.startswith("data:image/svg"), icon
    assert {where: what for where, what in faults.items() if what} == {}
    assert len(set(tops.values())) == 1, tops
    assert asked
    assert [url for url in asked if not url.startswith((demo_url, "data:", "blob:"))] == []
    page.set_viewport_size({"width": 1280, "height": 720})


def test_nothing_is_drawn_before_the_menu_that_would_push_it_aside(page: Page, demo_url: str) -> None:
    """A page's script can come before its menu: it then waits, and is seen where the menu is late."""
    page.goto(demo_url)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.locator("[data-testid=stSidebar]").evaluate("menu => { menu.dataset.testid = 'none yet'; }")
    seen = "() => getComputedStyle(document.querySelector('[data-testid=stMain]')).visibility"
    assert page.evaluate(seen) == "hidden"
    page.wait_for_function(f"({seen})() === 'visible'")


@pytest.mark.parametrize("width", [700, 853, 900, 950])
def test_a_narrow_window_spends_its_width_on_figures(page: Page, demo_url: str, width: int) -> None:
    """Streamlit's own margins of 80 pixels come later than the page's style, from 864 pixels on."""
    page.set_viewport_size({"width": width, "height": 700})
    page.goto(f"{demo_url}/abx")
    settle(page)
    main = page.locator("[data-testid=stMain]").bounding_box()
    [figure, *_] = page.evaluate(SIZES)
    assert main is not None
    assert main["width"] - 40 <= figure[0] <= main["width"]
    page.set_viewport_size({"width": 1280, "height": 720})
