"""What the server answers besides pages: its statistics are closed, and dropped files are taken from those who may add some."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from starlette.responses import PlainTextResponse

from backend import people
from backend.errors import IsoglossError
from pages.widgets import streamlit_internals, visitor

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

METRICS = re.compile(r"/_stcore/metrics/*$")
"""Sizes of caches, sessions and what is kept for them: nothing that visitors need."""
UPLOAD = re.compile(r"/_stcore/upload_file/(?P<session>[^/]+)/")


class Doors:
    """ASGI middleware that answers for what is closed, and leaves the rest to the dashboard."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        closed = _closed(scope["path"], scope["method"]) if scope["type"] == "http" else None
        if closed is None:
            await self.app(scope, receive, send)
            return
        status, text = closed
        await PlainTextResponse(text, status)(scope, receive, send)


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
