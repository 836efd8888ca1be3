"""Who looks at the dashboard: a browser's tab without a past."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page, Playwright, ViewportSize

PATIENCE = 300_000
"""Milliseconds that anything is waited for: a busy machine takes its time, and only what never comes is waited for so long."""


def executable(playwright: Playwright) -> str | None:
    """The Chromium that Playwright installed, or the distribution's; None where there is neither."""
    own = Path(playwright.chromium.executable_path)
    return str(own) if own.exists() else shutil.which("chromium") or shutil.which("chromium-browser")


_tabs: dict[str, list[Page]] = {}
"""Those that nobody looks at, by their server's address. They stay open: they need not compile the page's scripts again."""


@contextmanager
def visitor(browser: Browser, url: str | None = None) -> Iterator[Page]:
    """Somebody who was never here, with a tab of a projector's size, on no page yet; its addresses are those of `url`.

    Nothing moves by itself in it: what glides to its place is drawn sixty times a second, and runs away from a click.
    """
    idle = _tabs.setdefault(url or "", [])
    if idle:
        tab = idle.pop()
    else:
        size: ViewportSize = {"width": 1280, "height": 720}
        context = browser.new_context(viewport=size, base_url=url, reduced_motion="reduce")
        context.set_default_timeout(PATIENCE)
        tab = context.new_page()
    yield tab  # where a test failed, the next has another
    if url is None:
        tab.context.close()
    else:
        _forget(tab)
        idle.append(tab)


def _forget(tab: Page) -> None:
    """Make it as good as fresh: nothing of what a test did with it stays."""
    tab.evaluate("localStorage.clear(); sessionStorage.clear()")
    tab.context.clear_cookies()
    tab.emulate_media(color_scheme="null")
    tab.goto("about:blank")
