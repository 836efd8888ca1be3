"""What every shelf of the Library is tested with: its text, and its buttons."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest


def shown(app: AppTest) -> str:
    """Return all text on the page, that of errors and headings too."""
    elements = [*app.markdown, *app.caption, *app.error, *app.warning, *app.expander]
    html = " ".join(str(block.proto.body) for block in app.get("html"))
    return " ".join(str(e.value if hasattr(e, "value") else e.label).replace("\\", "") for e in elements) + html


def press(app: AppTest, key: str) -> AppTest:
    """Press a button; no exception may reach the page."""
    app.button(key=key).click().run()
    assert not app.exception
    return app
