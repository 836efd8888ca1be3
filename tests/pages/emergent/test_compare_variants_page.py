"""Two variants side by side: a figure each, never one axis for both, and a table of what does compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.pages.abx.abx_page import Shown
from tests.pages.beside import beside
from tests.pages.emergent import benchmark_workspace as made
from tests.pages.emergent.emergent_page import again, open_page, said, same

if TYPE_CHECKING:
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

BOTH = ("Mine", "None")
"""The sources that both variants have, in Finnish."""


def compared(view: str, shown: list[Shown]) -> AppTest:
    app = open_page(view=view, board_paper="false")
    (box,) = (each for each in app.selectbox if each.label == "Compare with")
    assert box.value is None
    shown.clear()
    box.select(box.options[0]).run()
    assert not app.exception
    return app


def test_two_leaderboards_and_a_table_of_places(workspace: Path, shown: list[Shown], monkeypatch: pytest.MonkeyPatch) -> None:
    tables = beside(monkeypatch)
    keys = made.fill(workspace)
    app = compared("Leaderboard", shown)
    first, second = shown
    assert first.data["score"].max() < 10
    assert second.data["score"].min() > 60
    again(first)
    again(second)
    _, data, recipe = tables[-1]
    same(recipe, data)
    assert data["source"].tolist() == [keys[name] for name in BOTH]
    assert data["second_place"].tolist() == [1, 2]
    text = said(app)
    assert "Cross-entropies of two variants do not compare" in text
    assert "What they differ in: 5 options" in [each.label for each in app.expander]
    (options,) = [each.value for each in app.dataframe if "Option" in each.value]
    assert options.iloc[2].tolist() == ["protocol", "correct", "released"]
    assert "2 sources in 1 target that both have" in text


@pytest.mark.parametrize("values", ["Raw", "Normalised"])
def test_two_heatmaps_and_their_normalised_difference(workspace: Path, shown: list[Shown], values: str) -> None:
    keys = made.fill(workspace)
    app = open_page(view="Source × target", board_paper="false", board_values=values)
    shown.clear()
    box = app.selectbox(key="variant_2")
    box.select(box.options[0]).run()
    first, second, difference = shown
    for each in shown:
        again(each)
    tables = [next(trace for trace in each.drawn.data if trace.type == "heatmap") for each in shown]
    if values == "Raw":
        assert np.nanmax(tables[0].z) < 10 < np.nanmin(tables[1].z)  # no colour bar has both
    assert first.data["source"].nunique() == 6
    assert set(second.data["source"]) == {keys[name] for name in BOTH}
    assert set(difference.data["source"]) == {keys[name] for name in BOTH}
    assert tables[2].z.ravel().tolist() == pytest.approx([0, 0], abs=1e-6)  # the same order in both


def test_a_second_variant_without_these_sources_is_said(workspace: Path, shown: list[Shown]) -> None:
    made.fill(workspace)
    app = open_page(view="Leaderboard", board_paper="false", board_sources=["Random", "Paren"])
    shown.clear()
    box = app.selectbox(key="variant_2")
    box.select(box.options[0]).run()
    assert not app.exception
    assert "has no score of these sources in these targets" in said(app)
    assert len(shown) == 1


def test_one_variant_has_nothing_to_compare_with(workspace: Path, shown: list[Shown]) -> None:
    keys = made.keep_corpora(workspace)
    made.score(workspace, source=keys["Mine"], corpus=keys["Human"].partition("/")[0], target="fi", value=5.0)
    app = open_page(view="Leaderboard", variant_2="Paper, correct (000000)")
    assert not [each for each in app.selectbox if each.label == "Compare with"]
