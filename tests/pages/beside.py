"""What a page shows with its Python beside it, and where it looks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isogloss.pages.widgets.figures import cooked, figure
from tests.pages.abx.abx_page import DEMO

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    import pytest

    from isogloss.backend.boards.recipe import Recipe

Beside = list[tuple[str, "pd.DataFrame", "Recipe"]]


def beside(monkeypatch: pytest.MonkeyPatch) -> Beside:
    """Name, data and recipe of every figure and table from now on."""
    found: Beside = []

    def keep(*, name: str, recipe: Recipe, data: pd.DataFrame | None = None, **_: Any) -> None:
        found.append((name, cooked.rows(recipe) if data is None else data, recipe))

    monkeypatch.setattr(figure, "beside", keep)
    return found


def on_the_demo(monkeypatch: pytest.MonkeyPatch, workspace: Path) -> None:
    """The workspace and the demo beside it are in force from now on."""
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(workspace))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
