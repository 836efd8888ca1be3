"""A workspace of invented probes, made once for the tests of a file, and what the probing page shows of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from backend.boards.recipe import Recipe
from pages.widgets.figures import figure
from tests.pages.abx.abx_page import DEMO
from tests.pages.probing.probing_page import Shown
from tests.pages.probing.probing_workspace import Kept, fill

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    import plotly.graph_objects as go


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Kept]:
    workspace = tmp_path_factory.mktemp("probing") / "workspace"
    return workspace, fill(workspace, DEMO)


@pytest.fixture
def shown(filled: tuple[Path, Kept], monkeypatch: pytest.MonkeyPatch) -> list[Shown]:
    """Every figure and table from now on; the workspace of probes beside the demo."""
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(filled[0]))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    found: list[Shown] = []

    def beside(*, name: str, data: pd.DataFrame, recipe: Recipe, figure: go.Figure | None = None, **_: Any) -> None:
        found.append(Shown(name, data, recipe, figure))

    monkeypatch.setattr(figure, "beside", beside)
    return found
