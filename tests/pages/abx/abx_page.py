"""The ABX page as the tests of its views open it: on the demo, with every figure it shows kept."""

from __future__ import annotations

import contextlib
import io
import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.settings import settings
from isogloss.pages.widgets.figures import cooked, figure
from tests.pages.opened import opened

if TYPE_CHECKING:
    import pytest
    from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[3]
DEMO = ROOT / "cache" / "demo"
MLM, CONTRAST = "Demo MLM", "Demo MLM + translation contrast"


class Shown(NamedTuple):
    """What a page showed: a figure, or a table with exports beside it."""

    drawn: Any
    """The figure; None of a table."""
    name: str
    data: pd.DataFrame
    recipe: Recipe


def record(monkeypatch: pytest.MonkeyPatch) -> list[Shown]:
    """Every figure shown from now on, in order."""
    found: list[Shown] = []

    def show(drawn: Any, *, name: str, data: pd.DataFrame, recipe: Recipe, clicks: Any = False, **_: Any) -> list[Any]:
        recipe = recipe.with_chart(drawn) if isinstance(drawn, partial) else recipe
        found.append(Shown(figure.picture(drawn, data, clicks), name, data, recipe))
        return []

    monkeypatch.setattr(figure, "show", show)
    return found


def record_beside(monkeypatch: pytest.MonkeyPatch) -> list[Shown]:
    """Every figure and table with exports from now on, in order."""
    found: list[Shown] = []

    def beside(
        *, name: str, recipe: Recipe, data: pd.DataFrame | None = None, figure: go.Figure | None = None, **_: Any
    ) -> None:
        found.append(Shown(figure, name, cooked.rows(recipe) if data is None else data, recipe))

    monkeypatch.setattr(figure, "beside", beside)
    return found


def open_abx(**query: str | list[str]) -> AppTest:
    """The page with these parameters in its URL; nothing may have gone wrong unexpectedly."""
    return opened("abx", query)


def run(recipe: Recipe) -> pd.DataFrame:
    """What the recipe's Python leaves in `frame`: the rows, and the picture, that the recipe gives when read from a board."""
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()), patch.object(go.Figure, "show"):
        exec(compile(recipe.python(), "recipe", "exec"), names)
    frame: pd.DataFrame = names["frame"]
    kept = Recipe.from_json(json.loads(json.dumps(recipe.to_json())), settings().workspaces)
    pd.testing.assert_frame_equal(kept.rows(), frame)
    if (drawn := kept.drawn(frame)) is not None:
        assert drawn.to_json() == names["figure"].to_json()
    return frame


def check(shown: list[Shown], figures: int) -> None:
    """There are so many figures, each recipe gives its figure's rows and picture, and the picture shows nothing else."""
    assert len(shown) == figures
    for each in shown:
        assert each.recipe.chart is not None, each.name
        check_rows(each)
        _check_drawn(each)
        _check_titles(each)


def check_rows(each: Shown) -> None:
    """There are rows, and the recipe's Python gives them."""
    assert len(each.data), each.name
    found, given = run(each.recipe).reset_index(drop=True), each.data.reset_index(drop=True)
    pd.testing.assert_frame_equal(found, given, obj=each.name, check_like=True)


def _check_drawn(each: Shown) -> None:
    """Every number in the picture is in the rows: heatmaps' cells and the marks of lines and points."""
    numbers = np.unique(each.data.select_dtypes("number").to_numpy(np.float64, na_value=np.nan).astype(np.float32))
    numbers = numbers[np.isfinite(numbers)]
    for trace in each.drawn.data:
        if trace.type == "heatmap":
            drawn = trace.z
        elif "markers" in (trace.mode or "") and trace.name != "cells":
            drawn = trace.y
        else:
            continue
        drawn = np.asarray(drawn, np.float32)
        drawn = drawn[np.isfinite(drawn)]
        assert drawn.size, each.name
        assert (np.abs(numbers[:, None] - drawn.ravel()).min(axis=0) < 1e-6).all(), each.name


def _check_titles(each: Shown) -> None:
    """Every number in the picture has a unit and says which way is up: colour bars, value axes, both axes of a scatter."""
    layout = each.drawn.layout
    if any(trace.type == "heatmap" for trace in each.drawn.data):
        used = {trace.coloraxis for trace in each.drawn.data if trace.type == "heatmap"}
        bars = [layout[key].colorbar.title.text for key in used]
    else:
        bars = [layout.yaxis.title.text]
        if "Training step" not in layout.xaxis.title.text and "Layer" not in layout.xaxis.title.text:
            bars.append(layout.xaxis.title.text)
    assert bars
    for title in bars:
        words = title.replace("<br>", " ").casefold()
        assert any(unit in words for unit in ("share of", "−1 to 1", "0 = the language's lowest")), (each.name, words)
        assert any(way in words for way in ("higher", "highest", "0 = unrelated")), (each.name, words)
