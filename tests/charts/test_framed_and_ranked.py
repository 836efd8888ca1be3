"""Framed cells, ranked bars, and cells that say why they are empty."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from isogloss.backend.charts.difference import difference_heatmap
from isogloss.backend.charts.grid import Grid, grid, hover_texts
from isogloss.backend.charts.heatmap import heatmap_of
from isogloss.backend.charts.languages import order_by_mean
from isogloss.backend.charts.parts.framed import frame_cells
from isogloss.backend.charts.ranked import ranked_bars

NAN = float("nan")


def cells(values: list[list[float]], notes: tuple[tuple[str, ...], ...] | None = None) -> Grid:
    made = grid(values, ["a", "b"], ["x", "y"])
    return Grid(made.values, made.row_labels, made.column_labels, notes=notes)


def drawn(values: list[list[float]]) -> go.Figure:
    return heatmap_of(
        cells(values), colour_title="Gap (points; lower = better)", row_title="From", column_title="To", form=".1f"
    )


def test_a_frame_surrounds_its_cell_and_no_other() -> None:
    assert len(frame_cells(drawn([[1, 2], [3, 4]]), [], "best").data) == 1
    figure = frame_cells(drawn([[1, 2], [3, 4]]), [(0, 1), (1, 0)], "best")
    lines = [trace for trace in figure.data if trace.type == "scatter" and trace.mode == "lines"]
    assert [trace.line.color for trace in lines] == ["#111111", "#FFFFFF"]
    for trace in lines:
        corners = list(zip(trace.x, trace.y, strict=True))
        rings = [corners[:5], corners[6:]]
        assert corners[5] == (None, None)
        for (row, column), ring in zip([(0, 1), (1, 0)], rings, strict=True):
            assert ring[0] == ring[-1]
            assert {round(x) for x, _ in ring} == {column}
            assert {round(y) for _, y in ring} == {row}
    assert [trace.name for trace in figure.data if trace.type == "scatter" and trace.showlegend is not False] == ["best"]


def test_a_note_ends_the_hover_or_says_why_there_is_no_score() -> None:
    given = cells([[1.25, NAN], [NAN, 4]], (("<i>3 models</i>", "no model in the window"), ("", "")))
    texts = hover_texts(given, row_title="From", column_title="To", colour_title="Gap (points)", form=".1f")
    assert texts[0, 0].endswith("Gap: <b>1.2</b><br>&lt;i&gt;3 models&lt;/i&gt;")
    assert texts[0, 1].endswith("<i>Gap: no model in the window</i>")
    assert texts[1, 0].endswith("<i>Gap: not computed</i>")
    assert texts[1, 1].endswith("Gap: <b>4.0</b>")


def test_a_difference_says_which_of_the_two_lacks_a_cell() -> None:
    first = cells([[1, NAN], [NAN, 4]], (("", "no model"), ("nothing", "")))
    second = cells([[0.5, 2], [NAN, NAN]], (("", ""), ("empty", "unknown")))
    figure = difference_heatmap(
        first, second, first_name="A", second_name="B", colour_title="Gap (points)", row_title="", column_title="", form="+.1f"
    )
    texts = figure.data[0].hovertext
    assert "+0.5" in texts[0][0]
    assert "A: no model" in texts[0][1]
    assert "A: nothing" in texts[1][0]
    assert "B: unknown" in texts[1][1]
    assert figure.data[0].z[0, 0] == 0.5


def test_languages_by_mean() -> None:
    meta = pd.DataFrame({"name": ["c", "b", "a", "d"], "family": None, "script": None})
    scores = [[0.3, NAN], [0.1, 0.5], [0.2, 0.1], [NAN, NAN]]
    assert order_by_mean(scores, meta) == [2, 1, 0, 3]  # 0.15, then two of 0.3 by name, then unknown
    assert order_by_mean(scores, meta, highest_first=True) == [1, 0, 2, 3]
    assert order_by_mean(np.full((4, 0), NAN), meta) == [2, 1, 0, 3]


def test_bars_are_the_known_values_in_order_with_their_deviations() -> None:
    figure = ranked_bars(
        ["<b>first</b>", "second", "none"],
        [20.0, 30.25, NAN],
        value_title="IGap (points)",
        best=[True, False, False],
        deviations=[1.5, NAN, NAN],
        notes=["3 seeds", "", ""],
    )
    [bar] = figure.data
    assert list(bar.x) == [20.0, 30.25]
    assert list(bar.error_x.array) == [1.5, 0]
    assert bar.marker.color[0] != bar.marker.color[1]
    first, second = figure.layout.yaxis.ticktext
    assert "<b>20.0</b>" in first
    assert "&lt;b&gt;first" in first
    assert "30.2" in second
    assert bar.hovertext[0].endswith("3 seeds")
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]  # the first on top
    assert ranked_bars(["a"], [2.0], value_title="v", best=[True]).data[0].error_x.array is None
    negative = ranked_bars(["a", "b"], [-3.0, 1.0], value_title="Gap", best=[True, False])
    assert "−" in negative.layout.yaxis.ticktext[0]
    assert list(negative.data[0].x) == [-3.0, 1.0]
