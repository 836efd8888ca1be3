"""What the server answers besides pages, asked as a client does that is no browser."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from isogloss.pages.widgets.server import streamlit_internals, visitor
from isogloss.pages.widgets.server.doors import LINK, AccessMiddleware
from isogloss.pages.widgets.server.styled import StyleMiddleware

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.requests import Request

UPLOAD = "/_stcore/upload_file/session/file"


def answers(request: Request) -> Response:
    return RedirectResponse("/", 302) if "auth" in request.url.path else PlainTextResponse("open")


@pytest.fixture
def client(workspace: Path) -> TestClient:
    routes = [Route("/{path:path}", answers, methods=["GET", "PUT", "POST", "DELETE", "OPTIONS"])]
    return TestClient(
        Starlette(routes=routes, middleware=[Middleware(AccessMiddleware)]), "http://lab.org", follow_redirects=False
    )


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


def test_files_of_a_session_are_taken_by_the_role_of_who_has_it(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_EDITORS", "eve@lab.org")
    monkeypatch.setenv("ISOGLOSS_VIEWERS", "@lab.org")
    monkeypatch.setattr(visitor, "has_login", lambda: True)
    people_of = {"eve": "eve@lab.org", "vera": "vera@lab.org"}
    monkeypatch.setattr(
        streamlit_internals,
        "user_of",
        lambda session: {"is_logged_in": True, "email": people_of[session], "iat": time.time()} if session in people_of else {},
    )
    said = {session: client.put(f"/_stcore/upload_file/{session}/1").text for session in ("eve", "vera", "stranger")}
    assert said["eve"] == "open"
    assert "is for editors, and vera@lab.org is a viewer" in said["vera"]
    assert "Log in first" in said["stranger"]


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


def test_a_page_has_its_style_from_the_first_byte_on_and_nothing_else_has() -> None:
    page = HTMLResponse("<head></head><body>Ä</body>", headers={"etag": "before"})
    routes = [Route("/", page), Route("/text", PlainTextResponse("</head>"))]
    client = TestClient(Starlette(routes=routes, middleware=[Middleware(StyleMiddleware, style="a {}", script="b()")]))
    asked = {"accept": "text/html", "if-none-match": "before"}
    styled = client.get("/", headers=asked)
    assert styled.text == "<head><style>a {}</style><script>b()</script></head><body>Ä</body>"
    assert "etag" not in styled.headers, "a browser would keep it with the style of before"
    assert client.get("/text", headers=asked).text == "</head>"
