"""Pins of the version before are drawn as it drew them, whatever has become of the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from isogloss.backend.boards.recipe import Recipe
from tests.pages.emergent import benchmark_workspace, corpora_workspace, translation_workspace

OLDER = json.loads(Path(__file__).with_name("older_recipes.json").read_text("utf-8"))
"""A recipe for every set of functions that a figure or table called, with how many rows and traces it gave, and their sums."""


@pytest.fixture(scope="module")
def workspaces(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    scores, corpora = (tmp_path_factory.mktemp(name) for name in ("scores", "corpora"))
    benchmark_workspace.more_human_sources(scores, translation_workspace.fill(scores))
    corpora_workspace.fill(corpora)
    return [scores, corpora]


@pytest.mark.parametrize("pin", OLDER, ids=lambda pin: str(pin["name"]))
def test_a_pin_gives_the_rows_and_the_picture_that_it_gave(workspaces: list[Path], pin: dict[str, Any]) -> None:
    recipe = Recipe.from_json(pin["recipe"], workspaces)
    rows = recipe.rows()
    assert len(rows) == pin["rows"]
    assert sums(rows) == pytest.approx(pin["sums"], abs=1e-3)
    drawn = recipe.drawn(rows)
    assert (None if drawn is None else len(drawn.data)) == pin["traces"]


def sums(rows: pd.DataFrame) -> dict[str, float]:
    """The sum of every column of numbers, without what is not known."""
    return {str(name): float(np.nansum(rows[name].to_numpy(float))) for name in rows.select_dtypes("number")}
