"""From a cell of the benchmark to how its models learned: a line a seed, and what is gone is said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from isogloss.backend.experiments.sources.shard import CURVE
from isogloss.backend.store import details
from isogloss.pages.widgets.figures import figure
from tests.pages.abx.abx_page import Shown
from tests.pages.emergent import benchmark_workspace as made
from tests.pages.emergent.emergent_page import again, open_page, said
from tests.pages.made_once import made_once

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd


def curve(workspace: Path, key: str, last: float, points: int = 60) -> None:
    """A made-up curve that falls to `last`."""
    steps = np.arange(1, points + 1, dtype=np.int32) * 5
    losses = last + 3 * np.exp(-np.arange(points) / 9)
    details.write(workspace, key, pa.table([steps, losses], schema=CURVE), {})


@made_once
def fill(workspace: Path) -> tuple[str, str]:
    """A cell of two seeds from Mine to Danish with curves; the tuning curves' keys."""
    keys = made.fill(workspace)
    corpus = keys["Human"].partition("/")[0]
    runs = []
    for seed in (0, 1):
        made.score(
            workspace, source=keys["Mine"], corpus=corpus, target="da", seed=seed, value=5.5 + seed / 10, checkpoint=f"b{seed}"
        )
        runs.append(f"{keys['Mine']}-da-{seed}-{made.QUICK}".replace("/", "-"))
        curve(workspace, f"b{seed}", 1.5 + seed / 10)
        curve(workspace, runs[-1], 5.0 + seed / 10)
    curve(workspace, f"none-da-0-{made.QUICK}".replace("/", "-"), 5.4)
    return runs[0], runs[1]


def open_cell(**query: str) -> Any:
    return open_page(**({"view": "XferBench", "curve_source": "Mine", "curve_target": "Danish"} | query))


def test_both_stages_have_a_line_a_seed_and_their_python_gives_them(workspace: Path, shown: list[Shown]) -> None:
    fill(workspace)
    open_cell()
    assert [each.name for each in shown] == ["Pre-training on Mine", "Tuning on Danish, from Mine"]
    for each, ends in zip(shown, ((1.5, 1.6), (5.0, 5.1)), strict=True):
        again(each)
        assert [trace.name for trace in each.drawn.data] == ["Seed 0", "Seed 1"]
        assert [float(trace.y[-1]) for trace in each.drawn.data] == pytest.approx(ends, abs=0.02)
        assert [float(trace.y[0]) for trace in each.drawn.data] == pytest.approx([end + 3 for end in ends])
        assert "nats per token; lower = better" in each.drawn.layout.yaxis.title.text.replace("<br>", " ")
        assert each.drawn.layout.yaxis.range is None


def test_a_removed_curve_is_one_sentence(workspace: Path, shown: list[Shown]) -> None:
    first, second = fill(workspace)
    details.path(workspace, first).unlink()
    app = open_cell()
    assert [trace.name for trace in shown[1].drawn.data] == ["Seed 1"]
    assert shown[1].drawn.data[0].line.color == shown[0].drawn.data[1].line.color  # as beside it
    again(shown[1])
    assert "removed or damaged: seed 0." in said(app)
    details.path(workspace, second).unlink()
    shown.clear()
    app = open_cell()
    assert [each.name for each in shown] == ["Pre-training on Mine"]
    assert "No saved learning curve: Tuning on Danish, from Mine." in said(app)


def test_no_pre_training_has_a_tuning_curve_alone(workspace: Path, shown: list[Shown]) -> None:
    fill(workspace)
    app = open_cell(curve_source="No pre-training")
    assert [each.name for each in shown] == ["Tuning on Danish, without pre-training"]
    assert "Nothing was pre-trained here" in said(app)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"curve_source": "Paren", "curve_target": "Basque"}, "has no score in this target"),
        ({"curve_source": made.ODD}, "No saved learning curve: Pre-training on Odd *name* <b>$x$ 模型"),
        ({"curve_source": "?", "curve_target": "?"}, ""),
    ],
    ids=str,
)
def test_cells_without_curves_and_odd_links(workspace: Path, shown: list[Shown], query: dict[str, str], sentence: str) -> None:
    fill(workspace)
    assert sentence in said(open_cell(**query))


@pytest.mark.parametrize("values", ["Raw", "Normalised"])
def test_a_click_on_a_cell_opens_its_curves(workspace: Path, monkeypatch: pytest.MonkeyPatch, values: str) -> None:
    """The markers of the heatmap report what is in their cells, and the select boxes take it over."""
    fill(workspace)
    names: list[str] = []

    def show(drawn: Any, *, name: str, data: pd.DataFrame, clicks: Any = False, **_: Any) -> list[Any]:
        names.append(name)
        if not clicks:
            return []
        drawn = figure.picture(drawn, data, clicks)
        heat = next(trace for trace in drawn.data if trace.type == "heatmap")
        cells = next(trace for trace in drawn.data if trace.name == "cells")
        assert len(cells.customdata) == heat.z.size
        for cell, text in zip(cells.customdata, cells.hovertext, strict=True):
            assert all(f"<b>{name}</b>" in text for name in cell) or cell[0] == made.ODD
        at = next(place for place, cell in enumerate(cells.customdata) if list(cell) == ["Mine", "Danish"])
        assert heat.z[cells.y[at], cells.x[at]] == pytest.approx(5.55) or values == "Normalised"
        return list(cells.customdata[at])

    monkeypatch.setattr(figure, "show", show)
    app = open_page(view="Source × target", board_values=values)
    assert app.session_state["view"] == "XferBench"
    assert (app.selectbox(key="curve_source").value, app.selectbox(key="curve_target").value) == ("Mine", "Danish")
    assert names[-2:] == ["Pre-training on Mine", "Tuning on Danish, from Mine"]
