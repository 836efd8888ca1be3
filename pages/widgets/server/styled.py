"""A style and a script that every page has from its first frame on: what comes later moves what is already drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

END = b"</head>"
STALE = ("etag", "last-modified")
"""Would have a browser keep the page with the style of before."""


class StyleMiddleware:
    """ASGI middleware that puts a style and a script into the head of each page; Streamlit has no setting for one."""

    def __init__(self, app: ASGIApp, style: str, script: str = "") -> None:
        self.app, self.style = app, (f"<style>{style}</style>" + (f"<script>{script}</script>" if script else "")).encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or scope["method"] != "GET" or "text/html" not in Headers(scope=scope).get("accept", ""):
            await self.app(scope, receive, send)
            return
        plain = ((name, value) for name, value in scope["headers"] if name not in {b"accept-encoding", b"if-none-match"})
        await self.app({**scope, "headers": list(plain)}, receive, _with(self.style, send))


def _with(style: bytes, send: Send) -> Send:
    """Send a page with a style, and what is no page as it is."""
    begun: list[Message] = []
    page = bytearray()

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start" and Headers(raw=message["headers"]).get("content-type", "").startswith(
            "text/html"
        ):
            begun.append(message)
        elif not begun:
            await send(message)
        else:
            page.extend(message.get("body", b""))
            if not message.get("more_body"):
                body = bytes(page).replace(END, style + END, 1)
                headers = MutableHeaders(scope=begun[0])
                for name in STALE:
                    del headers[name]
                headers["content-length"] = str(len(body))
                await send(begun[0])
                await send({"type": "http.response.body", "body": body})

    return sending
