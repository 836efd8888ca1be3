"""`make docs`: a site without warnings, whose figures are drawn, whose links lead somewhere, and which asks no other host."""

from __future__ import annotations

import json
import os
import posixpath
import re
import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import isogloss
from docs.making import drawn, sources

ROOT = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.skipif(find_spec("material") is None, reason="mkdocs is not installed")


class Found(HTMLParser):
    """What a page links to, what it loads, and the places in it."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        of = {name: value or "" for name, value in attrs}
        self.ids |= {of[name] for name in ("id", "name") if name in of}
        if tag == "a" and "href" in of:
            self.links.append(of["href"])
        elif tag in ("script", "img", "link", "iframe") and of.get("rel") not in ("canonical", "next", "prev"):
            self.loaded += [of[name] for name in ("src", "href") if name in of]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, Found]]:
    """Each page's HTML and what was found in it, by its place in the site; its folder is at `""`."""
    folder = tmp_path_factory.mktemp("site")
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pages = {}
    for path in folder.rglob("*.html"):
        text, found = path.read_text(encoding="utf-8"), Found()
        found.feed(text)
        pages[path.relative_to(folder).as_posix()] = text, found
    return pages | {"": (str(folder), Found())}


def test_every_link_leads_to_a_place_that_is_there(site: dict[str, tuple[str, Found]]) -> None:
    folder = Path(site[""][0]).resolve()
    lost = []
    for page, (_, found) in site.items():
        for link in found.links if page and page != "404.html" and not page.startswith("atlas/") else []:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            path = (folder / page).parent / unquote(parts.path) if parts.path else folder / page
            name = path.resolve().relative_to(folder).as_posix()
            anchored = not parts.fragment or name not in site or unquote(parts.fragment) in site[name][1].ids
            if not path.exists() or not anchored:
                lost.append((page, link))
    assert lost == []
    assert len(site) > 15
    assert "atlas/index.html" in {
        posixpath.normpath(link) for link in site["publishing.html"][1].links if not urlsplit(link).scheme
    }
    assert "Geometry" in site["atlas/index.html"][0]


def test_nothing_is_loaded_from_another_host(site: dict[str, tuple[str, Found]]) -> None:
    loaded = {each for _, found in site.values() for each in found.loaded}
    assert [each for each in loaded if urlsplit(each).scheme not in ("", "data") or each.startswith("//")] == []
    assert "assets/plotly.min.js" in loaded
    sheets = [path.read_text(encoding="utf-8") for path in Path(site[""][0]).rglob("*.css")]
    assert [found for sheet in sheets for found in re.findall(r"url\(['\"]?(https?:[^)]+)", sheet)] == []


def test_every_figure_of_the_gallery_is_drawn_from_the_demo(site: dict[str, tuple[str, Found]]) -> None:
    blocks = drawn.blocks((ROOT / "docs" / "gallery.md").read_text(encoding="utf-8"))
    specs = re.findall(r'class="isogloss-figure"><script type="application/json">(.*?)</script>', site["gallery.html"][0])
    assert len(blocks) == len(specs) >= 5
    for spec in specs:
        figure = json.loads(spec)["figure"]
        assert figure["data"]
        layout = figure["layout"]
        titled = (
            layout["xaxis"] if layout["xaxis"].get("visible", True) else layout["coloraxis"]["colorbar"]
        )  # a map has no axes
        assert titled["title"]["text"]


def test_every_public_name_and_command_has_its_place(site: dict[str, tuple[str, Found]]) -> None:
    ids = site["reference.html"][1].ids
    assert {name for name in isogloss.__all__ if f"isogloss{name.lower()}" not in ids} == set()
    for command in ("isogloss run abx", "isogloss corpus import", "isogloss worker"):
        assert f"<code>{command}</code>" in site["commands.html"][0]


def test_a_link_to_what_is_no_page_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "[a](../README.md#settings) [b](../backend/option.py) `[c](d)` [e](definitions.md#f)\n```\n[g](h)\n```\n"
    linked, lost = sources.linked(text, "sharing.md")
    assert linked.startswith("[a](settings.md#settings)")
    assert "[e](definitions.md#f)" in linked
    assert "[g](h)" in linked
    assert lost == ["../backend/option.py"]
