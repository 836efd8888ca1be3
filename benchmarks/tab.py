"""What a browser's tab takes of each view at two sizes, of which the larger is two hundred languages.

    python -m benchmarks.tab [--languages 51 204] [--layers 33] [--checkpoints 4] [--moves 20]

Workspaces as in `benchmarks.scale`. Each view is opened by its link, in a tab that has compiled the page's scripts before, and
then each by a click on its name, where the server has its numbers already. Told are the seconds to the first figure and to the
last change of the document, those the browser's main thread computed meanwhile, the milliseconds to follow a pointer over the
figure (`benchmarks.scatter`), and what the tab holds then: MB of its scripts' heap after a collection, and nodes.
"""

from __future__ import annotations

import argparse
import logging
import os
import statistics
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from playwright.sync_api import sync_playwright

from benchmarks.scale import ABX_VIEWS, fill
from benchmarks.scatter import FOLLOW
from tests.browser.dashboard_server import serving
from tests.browser.visitors import executable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import CDPSession, Page

PAGES = {"abx": ABX_VIEWS, "alignment": ("Layers × checkpoints", "Matrix", "Map"), "relations": ("Scatter",)}
HEADINGS = "| | languages | first figure, s | last change, s | computing, s | a pointer, ms | heap, MB | nodes |"
WATCH = """
(() => {
    const own = window.isogloss = {began: 0, figure: 0, last: 0};
    new MutationObserver(() => {
        own.last = performance.now();
        if (!own.figure && document.querySelector(".js-plotly-plot .main-svg")) own.figure = own.last;
    }).observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
    window.addEventListener("click", () => { own.began = performance.now(); }, {capture: true});
})();
"""
"""Note when a figure came and when anything changed last, in milliseconds since the page was asked for."""
STILL = """
() => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning"
    && !document.querySelector("[data-stale=true], [data-testid=stSkeleton]") && performance.now() - window.isogloss.last > 1000
"""


def linked(page: Page, developer: CDPSession, link: str, moves: int) -> str:
    """Open a link, and return what it took as a table's cells."""
    page.goto("about:blank")
    before = _metrics(developer)["TaskDuration"]
    page.goto(link)
    took, figure = _took(page, developer, before), page.evaluate("window.isogloss.figure") / 1000
    followed = page.evaluate(FOLLOW, moves) if page.locator(".nsewdrag").count() else [0.0]
    developer.send("HeapProfiler.collectGarbage")
    held = _metrics(developer)
    pointer = f"{statistics.median(followed):.0f} ({max(followed):.0f})"
    return f"{figure:.2f} | {took} | {pointer} | {held['JSHeapUsedSize'] / 1e6:.0f} | {held['Nodes']:,.0f}"


def clicked(page: Page, developer: CDPSession) -> Iterator[tuple[str, str]]:
    """Click each view's name, and yield it with what that took."""
    groups, views = (page.locator(f".st-key-{key}").get_by_role("radio") for key in ("view-group", "view"))
    for group in [None, *groups.all()][groups.count() > 0 :]:
        if group is not None:
            before = _metrics(developer)["TaskDuration"]
            group.click()
            took = _took(page, developer, before)
            if views.count() < 2:
                yield group.inner_text(), took
        several = views.all() if views.count() > 1 else []
        for view in [*several[1:], *several[:1]]:
            before = _metrics(developer)["TaskDuration"]
            view.click()
            yield view.inner_text(), _took(page, developer, before)


def _took(page: Page, developer: CDPSession, before: float) -> str:
    _still(page)
    own = _metrics(developer)["TaskDuration"] - before
    noted = page.evaluate("window.isogloss")
    return f"{(noted['last'] - noted['began']) / 1000:.2f} | {own:.2f}"


def _still(page: Page) -> None:
    page.wait_for_timeout(100)
    page.wait_for_function(STILL, polling=200)


def _metrics(developer: CDPSession) -> dict[str, float]:
    return {each["name"]: each["value"] for each in developer.send("Performance.getMetrics")["metrics"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--languages", type=int, nargs="+", default=[51, 204])
    for name, usual in (("layers", 33), ("checkpoints", 4), ("moves", 20)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    asked = parser.parse_args()
    logging.disable(logging.WARNING)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n\n{HEADINGS}\n{'|---' * 8}|", flush=True)
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=executable(playwright), args=arguments)
        for languages in asked.languages:
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                fill(Path(folder), languages, asked.layers, asked.checkpoints, 1)
                with serving(Path(folder), fork=False) as server:
                    page = browser.new_page(viewport={"width": 1280, "height": 720})
                    page.set_default_timeout(120_000)
                    developer = page.context.new_cdp_session(page)
                    developer.send("Performance.enable")
                    page.add_init_script(WATCH)
                    page.goto(server.url)  # compiles the page's scripts
                    _still(page)
                    for path, views in PAGES.items():
                        for view in views:
                            query = urlencode({"view": view, "unit": "Sentences"})
                            cells = linked(page, developer, f"{server.url}/{path}?{query}", asked.moves)
                            print(f"| {path}, {view}: by its link | {languages} | {cells} |", flush=True)
                        list(clicked(page, developer))  # the server reads what it needs
                        for view, cells in clicked(page, developer):
                            print(f"| {path}, {view}: by a click | {languages} | | {cells} | | | |", flush=True)
                    page.close()
        browser.close()
    print(f"\nload {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
