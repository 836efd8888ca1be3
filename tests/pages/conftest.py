"""Pages run by Streamlit's own test harness, on a workspace of their own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.abx.abx_page import Shown, record

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty workspace, and no demo beside it."""
    folder = tmp_path / "workspace"
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(folder))
    monkeypatch.setenv("ISOGLOSS_DEMO", "")
    return folder


@pytest.fixture
def open_page(workspace: Path) -> Callable[..., AppTest]:
    """Opens `pages/<name>/page.py` with the query parameters given; nothing may have gone wrong unexpectedly."""

    def opened(name: str, **query: str) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
        app.run()
        app.switch_page(f"pages/{name}/page.py")
        for key, value in query.items():
            app.query_params[key.replace("_", "-")] = value
        app.run()
        assert not app.exception
        return app

    return opened


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Shown]:
    """Every figure that a page shows from now on, in order."""
    return record(monkeypatch)
