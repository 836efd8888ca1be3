"""Who looks at the dashboard: a browser's tab without a past."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

PATIENCE = 300_000
"""Milliseconds that anything is waited for: a busy machine takes its time, and only what never comes is waited for so long."""


@contextmanager
def visitor(browser: Browser, url: str | None = None) -> Iterator[Page]:
    """A fresh tab of a projector's size, on no page yet; its addresses are those of `url`."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, base_url=url, accept_downloads=True)
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()
