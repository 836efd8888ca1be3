"""Draw the README's pictures anew, from the demo:  python -m tests.browser.pictures [--out docs] [--only abx …]"""

from __future__ import annotations

import argparse
import tempfile
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.browser.dashboard_server import ROOT, serving
from tests.browser.settled import settle
from tests.browser.visitors import executable

if TYPE_CHECKING:
    from playwright.sync_api import Page

PAGES = {
    "abx": "abx",
    "alignment": "alignment?view=Curves&over=Layers",
    "probing": "probing?view=Curves&setting=Others+too&model=Demo+MLM&model=Demo+MLM+%2B+translation+contrast",
    "transfer": "transfer?view=Matrix&model=Demo+MLM+%2B+translation+contrast",
    "tokenisers": "tokenisers",
    "emergent": "emergent?view=Leaderboard",
    "relations": "relations?view=Where+does+it+predict%3F",
}
"""The first is shown whole, of the others the figures in the first row."""
LARGEST = 150_000
"""Bytes of a picture with all its colours; of a larger one the commonest 256 are kept."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "docs")
    parser.add_argument("--only", nargs="*", choices=PAGES, default=list(PAGES))
    asked = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as workspace,
        serving(Path(workspace), ISOGLOSS_DEMO=str(ROOT / "cache" / "demo")) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=executable(playwright), args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page(viewport={"width": 1280, "height": 980})
        for name in asked.only:
            tab.goto(f"{server.url}/{PAGES[name]}")
            tab.locator(".js-plotly-plot .main-svg").first.wait_for(timeout=120_000)
            settle(tab)
            path, taken = asked.out / f"{name}.png", _taken(tab, whole=name == "abx")
            taken.save(path, optimize=True)
            if path.stat().st_size > LARGEST:
                taken.quantize(256).save(path, optimize=True)
            print(name, taken.size, path.stat().st_size)
        browser.close()


def _taken(tab: Page, *, whole: bool) -> Image.Image:
    if whole:
        return Image.open(BytesIO(tab.screenshot())).convert("RGB")
    tab.locator(".js-plotly-plot").first.scroll_into_view_if_needed()
    settle(tab)
    boxes = [box for figure in tab.locator(".js-plotly-plot").all() if (box := figure.bounding_box())]
    row = [box for box in boxes if abs(box["y"] - boxes[0]["y"]) < 2]
    left, top = row[0]["x"], row[0]["y"]
    clip = {
        "x": left,
        "y": top,
        "width": max(box["x"] + box["width"] for box in row) - left,
        "height": max(box["height"] for box in row),
    }
    return Image.open(BytesIO(tab.screenshot(clip=clip))).convert("RGB")


if __name__ == "__main__":
    main()
