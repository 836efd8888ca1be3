"""Waiting for a page to be done, however busy the machine is: a pause of fixed length is too short on a busy one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

SETTLED = """
() => {
    const app = document.querySelector("[data-testid=stApp]");
    const waiting = document.querySelector("[data-stale=true], [data-testid=stSkeleton]");
    const done = app?.dataset.testScriptState === "notRunning" && !waiting;
    const figures = [...document.querySelectorAll(".js-plotly-plot")];
    const seen = figures.map((figure) => figure.innerHTML).join() + document.querySelector("[data-testid=stMain]")?.innerText;
    const now = performance.now();
    const before = window.isoglossSettled;
    if (!done || !before || before.seen !== seen) {
        window.isoglossSettled = {seen, since: now};
        return false;
    }
    return now - before.since > 600;
}
"""
"""The script has ended, nothing is greyed out or still to come, and neither words nor figures changed for 0.6 s."""


LISTEN = """
() => {
    window.isoglossSelected = window.isoglossOver = false;
    for (const figure of document.querySelectorAll(".js-plotly-plot")) {
        figure.on("plotly_selected", () => { window.isoglossSelected = true; });
    }
    const over = () => setTimeout(() => { window.isoglossOver = true; }, 1000);
    window.addEventListener("mouseup", over, {capture: true, once: true});
}
"""
"""Hear whether a figure takes a click as a choice, and a second after the page has taken in the click itself that it is over.

On a busy machine plotly took one of 140 for a click and for no choice.
"""


def settle(page: Page) -> None:
    """Wait until the page has taken in what was done to it and stands still."""
    page.evaluate("window.isoglossSettled = null")
    page.wait_for_function(SETTLED, polling=100)


def unfold(page: Page, section: Locator) -> None:
    """Open what is folded away, by its heading: what comes to light takes its places before a hand reaches it.

    Until then a button moves, and a click on it is none; nor is one on a heading that the page is just drawing anew.
    """
    settle(page)
    section.click()
    settle(page)


def kept(page: Page, words: str) -> Locator:
    """The entry in the Library's list whose heading has these words. What is still being added may say the same."""
    return page.get_by_test_id("stExpander").locator("summary").filter(has_text=words)


def click_figure(page: Page, across: float, down: float) -> None:
    """Click the first figure's plotting area at these shares of its width and height."""
    click_at(page, page.locator(".js-plotly-plot .nsewdrag").first, across, down)


def click_at(page: Page, part: Locator, across: float = 0.5, down: float = 0.5) -> None:
    """Click a part of a figure as a hand does: the mouse comes, what it points at is shown, then it is pressed.

    Where the figure takes that for no choice, again, where it then stands; and at times on the page loaded again, since on a
    busy machine one of some ten pages takes no click at all.
    """
    for attempt in range(12):
        if attempt and attempt % 3 == 0:
            page.reload()
        settle(page)
        box = part.bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] * across, box["y"] + box["height"] * down
        page.evaluate(LISTEN)
        away = 3 + attempt % 5
        page.mouse.move(x - away, y - away)
        page.mouse.move(x, y)
        page.locator(".js-plotly-plot .hoverlayer .hovertext").first.wait_for()
        page.wait_for_timeout(200)  # plotly looks at what is pointed at once in a while
        page.mouse.down()
        page.wait_for_timeout(60)
        page.mouse.up()
        page.wait_for_function("window.isoglossSelected || window.isoglossOver")
        if page.evaluate("window.isoglossSelected"):
            return
    raise AssertionError("the figure takes no click")
