"""The gallery's figures: each block of Python that begins `# drawn` is run on the demo, and its `figure` put below it."""

from __future__ import annotations

import json
import os
import re
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from isogloss.backend.charts.parts.theme import config

if TYPE_CHECKING:
    from collections.abc import Iterator

BLOCK = re.compile(r"^```python\n# drawn\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(text: str) -> list[str]:
    """Return the Python of each figure of a page."""
    return BLOCK.findall(text)


def run(code: str) -> dict[str, Any]:
    """Run a block as a person would, and return its names."""
    names: dict[str, Any] = {}
    exec(compile(code, "docs/gallery.md", "exec"), names)
    return names


@contextmanager
def the_demo() -> Iterator[None]:
    """Let nothing but the demo be seen: the workspace is an empty folder meanwhile."""
    before = os.environ.get("ISOGLOSS_WORKSPACE")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ISOGLOSS_WORKSPACE"] = folder
        try:
            yield
        finally:
            os.environ.pop("ISOGLOSS_WORKSPACE")
            if before is not None:
                os.environ["ISOGLOSS_WORKSPACE"] = before


def with_figures(text: str) -> str:
    """Return the page with each block's figure below it, and plotly.js before the first."""
    if not BLOCK.search(text):
        return text
    with the_demo():
        shown = BLOCK.sub(lambda match: f"```python\n{match[1]}```\n\n{_alive(run(match[1])['figure'])}", text)
    return f'{shown}\n\n<script src="assets/plotly.min.js"></script>\n'


def _alive(figure: Any) -> str:
    """Return what assets/figures.js draws; in JSON `</` is written so that it ends no script."""
    spec = figure.to_json().replace("</", "<\\/")
    options = json.dumps(config("isogloss"))
    return (
        '<div class="isogloss-figure"><script type="application/json">'
        f'{{"figure": {spec}, "config": {options}}}</script><noscript>Needs JavaScript.</noscript></div>'
    )
