"""A link to a page as the very first request to a server that has just started."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from dashboard_server import Server, serving
from playwright.sync_api import expect
from settled import settle

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A process that has imported nothing."""
    with serving(tmp_path, fork=False) as running:
        yield running


@pytest.mark.parametrize("link", ["library?shelf=Models", "jobs", "abx"])
def test_first_request_is_answered_by_its_page(page: Page, link: str) -> None:
    page.goto(f"/{link}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    settle(page)
    expect(page.get_by_text("Page not found")).to_have_count(0)
    expect(page.get_by_test_id("stSidebarNavLink").filter(has_text="Library")).to_be_visible()
