"""A workspace of invented probes, made once for the tests of a file, and what the probing page shows of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pages.abx.abx_page import DEMO, Shown, record_beside
from tests.pages.beside import on_the_demo
from tests.pages.probing.probing_workspace import Kept, fill

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Kept]:
    workspace = tmp_path_factory.mktemp("probing") / "workspace"
    return workspace, fill(workspace, DEMO)


@pytest.fixture
def shown(filled: tuple[Path, Kept], monkeypatch: pytest.MonkeyPatch) -> list[Shown]:
    """Every figure and table from now on; the workspace of probes beside the demo."""
    on_the_demo(monkeypatch, filled[0])
    return record_beside(monkeypatch)
