"""Alignments of the demo corpus in a real browser: a file dropped, read, kept and seen after a reload."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from dashboard_server import ROOT, serving
from playwright.sync_api import expect
from visitors import visitor

from backend.corpora.parallel import library
from backend.corpora.word_alignments import library as alignments

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser
DEMO = ROOT / "cache" / "demo"


def test_alignment_from_file_to_reload(browser: Browser, tmp_path: Path) -> None:
    (demo,) = library.entries([DEMO])
    links = "0-0\n" * demo.sentences
    with serving(tmp_path, ISOGLOSS_DEMO=str(DEMO)) as server, visitor(browser, server.url) as page:
        page.goto("/library?shelf=Alignments")
        expect(page.get_by_text("No alignment is saved yet.")).to_be_visible()
        uploader = page.locator("[data-testid=stFileUploader] input[type=file]").first
        uploader.set_input_files([{"name": "en-ar.align", "mimeType": "text/plain", "buffer": b"0-0\n1-1\n"}])
        page.get_by_role("button", name="Read", exact=True).click()
        expect(page.get_by_test_id("stAlert")).to_contain_text("en-ar.align, line 2: The alignment has 2 lines for 252")
        page.get_by_test_id("stFileUploader").first.get_by_role("button", name="Remove en-ar.align").click()
        expect(page.get_by_role("button", name="Read", exact=True)).to_be_hidden()
        uploader.set_input_files([{"name": "en-ar.align", "mimeType": "text/plain", "buffer": links.encode()}])
        page.get_by_role("button", name="Read", exact=True).click()
        expect(page.get_by_text("English → Arabic · 252 links")).to_be_visible()
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("button", name="Save")).to_be_hidden()
        page.reload()
        page.get_by_text("en-ar", exact=True).click()
        expect(page.locator("td[lang=ar][dir=rtl]")).to_have_count(10)
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
        assert page.get_by_test_id("stException").count() == 0
    (entry,) = alignments.entries([tmp_path])
    assert (entry.links, entry.corpus) == (252, demo.id)
