"""A real server on a workspace of its own, and a real browser. Without a Chromium these tests are skipped, and say so."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from dashboard_server import ROOT, Server, serving
from visitors import PATIENCE, visitor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
REQUIRED = "ISOGLOSS_REQUIRE_BROWSER"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """`streamlit run app.py` on a free port and an empty workspace without a demo; it and its worker stop afterwards."""
    with serving(tmp_path_factory.mktemp("workspace")) as running:
        yield running


@pytest.fixture(scope="session")
def demo_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server on an empty workspace beside the demo that ships with the repository: for tests that only look."""
    with serving(tmp_path_factory.mktemp("workspace"), ISOGLOSS_DEMO=str(ROOT / "cache" / "demo")) as running:
        yield running.url


@pytest.fixture
def cold_server(tmp_path: Path) -> Iterator[Server]:
    """A server that nobody has asked anything yet."""
    with serving(tmp_path) as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium: the distribution's, or the one that Playwright installed."""
    playwright_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright_api.sync_playwright() as playwright:
        own = Path(playwright.chromium.executable_path)
        executable = own if own.exists() else shutil.which("chromium") or shutil.which("chromium-browser")
        if executable is None:
            reason = "No Chromium was found (neither Playwright's nor the distribution's), so no browser test ran."
            if os.environ.get(REQUIRED) == "1":
                pytest.fail(f"{reason} {REQUIRED}=1 asks for one.")
            pytest.skip(reason)
        playwright_api.expect.set_options(timeout=PATIENCE)
        chromium = playwright.chromium.launch(executable_path=str(executable), args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A fresh tab of a projector's size, on no page yet; no error box or traceback may have appeared in it.

    Its addresses are those of `demo_url` in a test that has it, else of `server`, which is not started for the former.
    """
    demo = "demo_url" in request.fixturenames
    url = request.getfixturevalue("demo_url") if demo else request.getfixturevalue("server").url
    with visitor(browser, url) as tab:
        yield tab
        assert tab.get_by_test_id("stException").count() == 0
