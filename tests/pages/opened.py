"""A page as a link opens it, in Streamlit's own test harness."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streamlit.testing.v1 import AppTest

if TYPE_CHECKING:
    from collections.abc import Mapping

APP = Path(__file__).resolve().parents[2] / "app.py"
PATIENCE = 600.0
"""Seconds that a script may take: a machine can be very busy, and only what hangs waits so long."""


def app() -> AppTest:
    """The dashboard, not yet on any page."""
    return AppTest.from_file(APP, default_timeout=PATIENCE)


@cache
def _pages() -> Any:
    """The pages that the dashboard has, as the harness learns them when it has drawn the first."""
    return app().run()._registered_pages


def opened(page: str, query: Mapping[str, str | list[str]], state: Mapping[str, object] | None = None) -> AppTest:
    """The page in the folder `page` as the first that a visitor sees, with these parameters in its URL and this session.

    Nothing may have gone wrong unexpectedly.
    """
    visitor = app()
    visitor._registered_pages = _pages()  # else Home is drawn first, for every page anew
    visitor.switch_page(f"pages/{page}/page.py")
    for key, value in query.items():
        visitor.query_params[key] = value
    for key, kept in (state or {}).items():
        visitor.session_state[key] = kept
    visitor.run()
    assert not visitor.exception, visitor.exception
    return visitor
