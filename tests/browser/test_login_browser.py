"""A dashboard that a group shares, with a provider of logins on this machine: from nothing shown to a role, and out again."""

from __future__ import annotations

import urllib.error
import urllib.request
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from settled import settle
from visitors import visitor

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


def status(url: str, method: str = "GET", **headers: str) -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, method=method, headers=headers, data=None)) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_a_login_opens_what_the_role_may_and_nothing_before_it(browser: Browser, tmp_path: Path) -> None:
    pytest.importorskip("authlib")
    from dashboard_server import serving
    from provider import providing

    members = {"ISOGLOSS_VIEWERS": "group:lab", "ISOGLOSS_EDITORS": "eve@lab.org", "ISOGLOSS_UPLOAD_MB": "2"}
    with providing() as provider, serving(tmp_path, secrets=provider.secrets, **members) as server:
        assert status(f"{server.url}/_stcore/metrics") == status(f"{server.url}/_stcore/metrics/") == 404
        assert status(f"{server.url}/_stcore/health") == 200
        assert status(f"{server.url}/_stcore/upload_file/none/1", "PUT") == 403
        with visitor(browser, server.url) as tab:
            tab.goto("/library")
            expect(tab.get_by_text("Log in to look at this workspace.")).to_be_visible()
            expect(tab.get_by_test_id("stSidebarNavLink")).to_have_count(0)
            provider.claims = {"email": "eve@lab.org", "email_verified": False, "name": "Eve"}
            tab.get_by_role("button", name="Log in").click()
            expect(tab.get_by_text("Eve (1) is none")).to_be_visible()
            tab.get_by_role("button", name="Log out").click()
            provider.claims = {"email": "vera@else.org", "email_verified": True, "groups": ["lab"]}
            tab.get_by_role("button", name="Log in").click()
            expect(tab.get_by_text("vera@else.org · viewer")).to_be_visible()
            tab.get_by_test_id("stSidebarNavLink").filter(has_text="Library").click()
            expect(tab.get_by_text("Adding to the Library is for editors, and vera@else.org is a viewer here.")).to_be_visible()
            expect(tab.get_by_test_id("stFileUploader")).to_have_count(0)
            tab.get_by_role("button", name="Log out").click()
            expect(tab.get_by_text("Log in to look at this workspace.")).to_be_visible()
            provider.claims = {"email": "eve@lab.org", "email_verified": True}
            tab.goto("/library?shelf=Dictionaries")
            tab.get_by_role("button", name="Log in").click()
            expect(tab.get_by_text("eve@lab.org · editor")).to_be_visible()
            expect(tab.get_by_text("Add a dictionary")).to_be_visible()  # the link that was opened before the login
            tab.get_by_role("radio", name="Corpora").click()
            expect(tab.get_by_text("All files of one corpus")).to_be_visible()
            settle(tab)  # what the shelf before had for files is gone
            tab.get_by_test_id("stFileUploader").locator("input").set_input_files(
                {"name": "a.tsv", "mimeType": "text/plain", "buffer": b"en\tde\nHello\tHallo\n"}
            )
            expect(tab.get_by_role("cell", name="Hallo")).to_be_visible()
            tab.get_by_role("button", name="Discard").click()
            large = {"name": "large.tsv", "mimeType": "text/plain", "buffer": b"x" * 2_200_000}
            tab.get_by_test_id("stFileUploader").locator("input").set_input_files(large)
            expect(tab.get_by_text("2.0MB or smaller")).to_be_visible()
