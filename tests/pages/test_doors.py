"""What the server answers besides pages, asked as a client does that is no browser."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from pages.widgets import streamlit_internals
from pages.widgets.doors import LINK, Doors

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.requests import Request

UPLOAD = "/_stcore/upload_file/session/file"


def answers(request: Request) -> Response:
    return RedirectResponse("/", 302) if "auth" in request.url.path else PlainTextResponse("open")


@pytest.fixture
def client(workspace: Path) -> TestClient:
    routes = [Route("/{path:path}", answers, methods=["GET", "PUT", "POST", "DELETE", "OPTIONS"])]
    return TestClient(Starlette(routes=routes, middleware=[Middleware(Doors)]), "http://lab.org", follow_redirects=False)


def test_statistics_are_closed_and_the_rest_is_open(client: TestClient) -> None:
    for path in ("/_stcore/metrics", "/_stcore/metrics/", "/base/_stcore/metrics", "/_stcore/%6Detrics", "/_stcore/metrics?a"):
        assert client.get(path).status_code == 404, path
    for path in ("/", "/abx", "/_stcore/health", "/_stcore/metricsx"):
        assert client.get(path).text == "open", path


def test_files_are_taken_from_those_who_may_add_some(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    assert client.put(UPLOAD).text == "open", "of one user without login"
    monkeypatch.setenv("ISOGLOSS_READ_ONLY", "1")
    for method in ("PUT", "POST", "DELETE"):
        refused = client.request(method, f"/base{UPLOAD}")
        assert (refused.status_code, "read-only" in refused.text) == (403, True)
    assert client.options(UPLOAD).text == "open"
    monkeypatch.delenv("ISOGLOSS_READ_ONLY")
    monkeypatch.setenv("ISOGLOSS_EDITORS", "nonsense")
    assert "ISOGLOSS_EDITORS" in client.put(UPLOAD).text, "settings that are none let nobody in"
    assert streamlit_internals.user_of("session") == {}


def test_a_login_leads_back_to_the_link_it_began_on(client: TestClient) -> None:
    for link in ("/abx?view=Pairs&model=A%20B", "/", "/base/library?shelf=Models"):
        client.get("/auth/login?provider=x", headers={"referer": f"http://lab.org{link}"})
        ended = client.get("/auth/oauth2callback?code=1")
        assert ended.headers["location"] == link
        assert LINK not in client.cookies
    assert client.get("/auth/oauth2callback").headers["location"] == "/"


@pytest.mark.parametrize(
    "referer",
    [
        "http://evil.org/abx",
        "http://lab.org//evil.org/abx",
        "http://lab.org/\\evil.org",
        "http://lab.org/%2F%2Fevil.org",
        "http://lab.org:80@evil.org/",
        "http://lab.org/a?b" + "x" * 4000,
        "//lab.org//evil.org",
        "javascript:alert(1)",
        "",
    ],
)
def test_a_login_leads_to_no_other_server(client: TestClient, referer: str) -> None:
    client.get("/auth/login", headers={"referer": referer})
    assert client.get("/auth/oauth2callback").headers["location"] == "/"


@pytest.mark.parametrize("kept", ["//evil.org", "https://evil.org/abx", "/\\evil.org", "/a\r\nx: y", "javascript:alert(1)"])
def test_nor_does_a_cookie_that_another_has_set(client: TestClient, kept: str) -> None:
    client.cookies.set(LINK, quote(kept, safe=""))
    assert client.get("/auth/oauth2callback").headers["location"] == "/"
