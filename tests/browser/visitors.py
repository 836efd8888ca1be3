"""Who looks at the dashboard: a browser's tab without a past."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page, Playwright

PATIENCE = 300_000
"""Milliseconds that anything is waited for: a busy machine takes its time, and only what never comes is waited for so long."""


def executable(playwright: Playwright) -> str | None:
    """The Chromium that Playwright installed, or the distribution's; None where there is neither."""
    own = Path(playwright.chromium.executable_path)
    return str(own) if own.exists() else shutil.which("chromium") or shutil.which("chromium-browser")


def new_tab(browser: Browser, url: str | None = None) -> Page:
    """A fresh tab of a projector's size, on no page yet; its addresses are those of `url`."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, base_url=url, accept_downloads=True)
    context.set_default_timeout(PATIENCE)
    return context.new_page()


def forget(tab: Page) -> None:
    """Make it as good as fresh: nothing of what a test did with it stays."""
    tab.evaluate("localStorage.clear(); sessionStorage.clear()")
    tab.context.clear_cookies()
    tab.emulate_media(color_scheme="null")
    tab.goto("about:blank")


@contextmanager
def visitor(browser: Browser, url: str | None = None) -> Iterator[Page]:
    """Somebody else, who was never here."""
    tab = new_tab(browser, url)
    yield tab
    tab.context.close()
