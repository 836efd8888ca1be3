"""What the server answers besides pages: its statistics are closed, who may not add files has none taken, logins lead back."""

from __future__ import annotations

import re
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse

from isogloss.backend import people
from isogloss.backend.errors import IsoglossError
from isogloss.pages.widgets.server import streamlit_internals, visitor

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

METRICS = re.compile(r"/_stcore/metrics/*$")
"""Sizes of caches, sessions and what is kept for them: nothing that visitors need."""
UPLOAD = re.compile(r"/_stcore/upload_file/(?P<session>[^/]+)/")
LOGIN, CALLBACK = "/auth/login", "/oauth2callback"
LINK = "isogloss_link"
"""The cookie of the link that was opened before the login; Streamlit leads to the first page afterwards."""
LINK_SECONDS, LONGEST_LINK = 600, 3000
PATH = re.compile(r"(/[A-Za-z0-9_-]+)*/?")
"""Of a page of this server: two slashes at its beginning would name another."""


class AccessMiddleware:
    """ASGI middleware that answers for what is closed, and leaves the rest to the dashboard."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif (closed := _closed(scope["path"], scope["method"])) is not None:
            status, text = closed
            await PlainTextResponse(text, status)(scope, receive, send)
        elif scope["path"].endswith((LOGIN, CALLBACK)):
            await self.app(scope, receive, _leading_back(scope, send))
        else:
            await self.app(scope, receive, send)


def _closed(path: str, method: str) -> tuple[int, str] | None:
    """Return the status and text of the refusal; None for what is open."""
    if METRICS.search(path):
        return 404, "Closed."
    upload = UPLOAD.search(path)
    if upload is None or method not in {"PUT", "POST", "DELETE"}:
        return None
    try:
        why = people.refusal("import", who=visitor.person(streamlit_internals.user_of(upload["session"])))
    except IsoglossError as error:
        why = str(error)
    return None if why is None else (403, why)


def _leading_back(scope: Scope, send: Send) -> Send:
    """Remember the page that a login begins on, and have it end there."""
    asked = Headers(scope=scope)

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            answer = MutableHeaders(scope=message)
            if scope["path"].endswith(LOGIN):
                referer = urlsplit(asked.get("referer", ""))
                if referer.netloc == asked.get("host") and (link := here(referer.path, referer.query)):
                    answer.append("set-cookie", _cookie(quote(link, safe=""), LINK_SECONDS))
            elif (link := _remembered(asked.get("cookie", ""))) and "location" in answer:
                answer["location"] = link
                answer.append("set-cookie", _cookie("", 0))
        await send(message)

    return sending


def here(path: str, query: str) -> str | None:
    """Return the link to a page of this server, from its root; None where it is none, or too long for a cookie."""
    link = f"{path}?{query}" if query else path
    whole = PATH.fullmatch(path) and query.isascii() and query.isprintable() and len(quote(link, safe="")) <= LONGEST_LINK
    return link if whole and path else None


def _remembered(cookies: str) -> str | None:
    try:
        kept = SimpleCookie(cookies).get(LINK)
    except CookieError:
        return None
    parts = urlsplit(unquote(kept.value)) if kept else None
    return here(parts.path, parts.query) if parts and not parts.netloc and not parts.scheme else None


def _cookie(value: str, seconds: int) -> str:
    return f"{LINK}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax"
