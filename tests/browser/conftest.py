"""A real server on a workspace of its own, and a real browser. Without a Chromium these tests are skipped, and say so."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parents[2]
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


@dataclass(frozen=True)
class Server:
    """A running dashboard."""

    url: str
    workspace: Path


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """`streamlit run app.py` on a free port and an empty workspace without a demo; it and its worker stop afterwards."""
    with serving(tmp_path_factory.mktemp("workspace")) as running:
        yield running


@pytest.fixture(scope="module")
def demo_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server on an empty workspace beside the demo that ships with the repository."""
    with serving(tmp_path_factory.mktemp("workspace"), ISOGLOSS_DEMO=str(ROOT / "cache" / "demo")) as running:
        yield running.url


@pytest.fixture
def cold_server(tmp_path: Path) -> Iterator[Server]:
    """A server that nobody has asked anything yet."""
    with serving(tmp_path) as running:
        yield running


@contextmanager
def serving(workspace: Path, *under: str, **environment: str) -> Iterator[Server]:
    """A server on `workspace`; its output is in `server.log` there. `under` is a command that runs the server's."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    settings = {"ISOGLOSS_WORKSPACE": str(workspace), "ISOGLOSS_DEMO": "", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "2"}
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port), "--server.headless", "true"]
    with open(workspace / "server.log", "wb") as log:
        process = subprocess.Popen(
            [*under, *command], cwd=ROOT, env=os.environ | settings | environment, stdout=log, stderr=log
        )
    try:
        wait_until(lambda: _healthy(url), 60, f"The server did not start: {workspace / 'server.log'}")
        yield Server(url, workspace)
    finally:
        process.kill() if under else process.terminate()  # what runs it may keep a polite signal to itself
        process.wait(10)
        stop_workers(workspace)


def _healthy(url: str) -> bool:
    with suppress(OSError), urllib.request.urlopen(f"{url}/_stcore/health", timeout=2) as answer:
        return bool(answer.status == 200)
    return False


def stop_workers(workspace: Path) -> None:
    """End the workers of this workspace (they outlive the server by design), those still starting too."""
    from backend.jobs import slots

    asked, until = time.monotonic(), time.monotonic() + 30
    while (alive := slots.alive(workspace)) and time.monotonic() < until:
        patient = time.monotonic() - asked < 5
        for pid in (about["pid"] for about in alive if "pid" in about):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM if patient else signal.SIGKILL)
        time.sleep(0.3)


def wait_until(condition: object, seconds: float, otherwise: str) -> None:
    """Return once `condition()` holds; fail with `otherwise` where it does not in time."""
    until = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        if time.monotonic() > until:
            pytest.fail(otherwise)
        time.sleep(0.1)


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
        chromium = playwright.chromium.launch(executable_path=str(executable), args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser, server: Server) -> Iterator[Page]:
    """A fresh tab of a projector's size, on no page yet; no error box or traceback may have appeared in it."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, base_url=server.url, accept_downloads=True)
    tab = context.new_page()
    tab.set_default_timeout(15_000)
    yield tab
    assert tab.get_by_test_id("stException").count() == 0
    context.close()
