"""A real server on a workspace of its own, and a real browser. Without a Chromium these tests are skipped, and say so."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from dashboard_server import ROOT, Server, serving
from visitors import PATIENCE, executable, visitor

from tests.pages.transfer.transfer_workspace import fill

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
    # What it compiled of the page's scripts serves the next test, and there is room for what a page leaves behind.
    "--js-flags=--no-flush-bytecode --min-semi-space-size=64 --initial-heap-size=1024",
]
REQUIRED = "ISOGLOSS_REQUIRE_BROWSER"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Try a browser test that failed up to twice more, and say so in the summary: a loaded machine loses a click now and then.

    Streamlit itself does: a page that asks for itself anew while a click on another page's name waits makes it forget that.
    """
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=2))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Add to the report of a browser test that failed what the page said then: what was waited for says little of why."""
    report = yield
    tab = getattr(item, "funcargs", {}).get("page")
    if tab is not None and call.when == "call" and call.excinfo is not None:
        with suppress(Exception):  # of a tab that is gone
            report.sections.append(
                ("What the page said", f"{tab.url}: {' '.join(tab.inner_text('body', timeout=2000).split())}")
            )
    return report


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """`streamlit run app.py` on a free port and an empty workspace without a demo; it and its worker stop afterwards.

    Each test has another, and one that is tried again too.
    """
    with serving(tmp_path_factory.mktemp("workspace")) as running:
        yield running


@pytest.fixture
def demo_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The same beside the demo that ships with the repository."""
    with serving(tmp_path_factory.mktemp("workspace"), ISOGLOSS_DEMO=str(ROOT / "cache" / "demo")) as running:
        yield running


@pytest.fixture(scope="session")
def demo_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One such server for all tests that only look."""
    with serving(tmp_path_factory.mktemp("workspace"), ISOGLOSS_DEMO=str(ROOT / "cache" / "demo")) as running:
        yield running.url


@pytest.fixture(scope="session")
def fine_tuned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with made-up runs of a small task, trained on English and Chinese: for tests that only look."""
    workspace, demo = tmp_path_factory.mktemp("workspace"), ROOT / "cache" / "demo"
    fill(workspace, demo)
    with serving(workspace, ISOGLOSS_DEMO=str(demo)) as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium: the distribution's, or the one that Playwright installed."""
    playwright_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright_api.sync_playwright() as playwright:
        if (found := executable(playwright)) is None:
            reason = "No Chromium was found (neither Playwright's nor the distribution's), so no browser test ran."
            if os.environ.get(REQUIRED) == "1":
                pytest.fail(f"{reason} {REQUIRED}=1 asks for one.")
            pytest.skip(reason)
        playwright_api.expect.set_options(timeout=PATIENCE)
        chromium = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A tab of a projector's size, on no page yet and without a past; no error box or traceback may have appeared in it.

    Its addresses are those of `demo_server` or of `demo_url` in a test that has it, else of `server`.
    """
    named = next((name for name in ("demo_server", "demo_url") if name in request.fixturenames), "server")
    looked_at = request.getfixturevalue(named)
    with visitor(browser, looked_at if isinstance(looked_at, str) else looked_at.url) as tab:
        yield tab
        assert tab.get_by_test_id("stException").count() == 0
