"""Pages run by Streamlit's own test harness, on a workspace of their own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from streamlit.components.v2 import manifest_scanner

from tests.pages.abx.abx_page import Shown, record
from tests.pages.opened import opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from streamlit.testing.v1 import AppTest


@pytest.fixture(scope="session", autouse=True)
def _packages_searched_once() -> Iterator[None]:
    """For components: the harness would search all that is installed for every visitor, which takes half its time."""
    found = manifest_scanner.scan_component_manifests()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", lambda: found)
        yield


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
    return lambda name, **query: opened(name, {key.replace("_", "-"): value for key, value in query.items()})


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Shown]:
    """Every figure that a page shows from now on, in order."""
    return record(monkeypatch)
