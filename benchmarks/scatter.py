"""What a browser takes to follow a pointer over a scatter of many points, drawn as a picture and as a shape each.

    python -m benchmarks.scatter [--points 1000 3000 20706] [--moves 40]

Chromium without a graphics card draws both on a page each; a move is a synthetic event over the points, and its time runs
from the event to the end of the next frame. 20,706 points are the pairs of two hundred languages.
"""

from __future__ import annotations

import argparse
import os
import statistics
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from playwright.sync_api import sync_playwright

from isogloss.backend.charts.relation_scatter import SILENT, relation_scatter
from tests.browser.visitors import executable

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from playwright.sync_api import Page

GROUPS = 20
FOLLOW = """
async (moves) => {
    const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
    const area = document.querySelector(".nsewdrag"), box = area.getBoundingClientRect(), took = [];
    for (let i = 0; i < moves; i++) {
        await new Promise((done) => setTimeout(done, 120));  // plotly leaves out moves that follow within 50 ms
        await frame();
        const began = performance.now();
        const at = { clientX: box.x + box.width * (.1 + .8 * ((i * 37) % moves) / moves), clientY: box.y + box.height * .5 };
        area.dispatchEvent(new MouseEvent("mousemove", { ...at, bubbles: true, view: window }));
        await frame();
        took.push(performance.now() - began);
    }
    return took;
}
"""


def scatter(points: int) -> go.Figure:
    """Return a figure of correlated points in twenty groups, as the pages draw them."""
    random = np.random.default_rng(0)
    x = random.normal(0.8, 0.05, points)
    groups = random.integers(0, GROUPS, points).astype(str)
    frame = pd.DataFrame({"name": [f"{i}" for i in range(points)], "group": groups, "x": x})
    return relation_scatter(frame.assign(y=x + random.normal(0, 0.02, points)), x_title="X (share)", y_title="Y (share)")


def followed(page: Page, figure: go.Figure, kind: str, folder: Path, moves: int) -> list[float]:
    """Return the milliseconds of each move over the figure, its points drawn as `kind` has it."""
    spec = figure.to_plotly_json()
    for trace in spec["data"]:
        trace["type"] = kind
        trace.pop("cliponaxis", None)  # of shapes alone
    file = folder / f"{kind}.html"
    type(figure)(spec).write_html(file)
    page.goto(file.as_uri())
    page.wait_for_selector(".nsewdrag")
    page.wait_for_timeout(2000)
    return list(page.evaluate(FOLLOW, moves))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, nargs="+", default=[1000, SILENT, 20_706])
    parser.add_argument("--moves", type=int, default=40)
    asked = parser.parse_args()
    print(
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; ms to follow a move: the median, and in brackets the slowest"
    )
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=executable(playwright), args=arguments)
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        for points in asked.points:
            figure = scatter(points)
            for kind, name in (("scatter", "shapes"), ("scattergl", "picture")):
                took = followed(page, figure, kind, Path(folder), asked.moves)
                print(f"{points:,} points, {name}: {statistics.median(took):.0f} ({max(took):.0f})", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
