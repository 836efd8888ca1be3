"""Several things over one number: what is drawn is what was given, nothing is drawn where there is no place for it."""

from __future__ import annotations

import numpy as np
import pandas as pd

from isogloss.backend.charts.overlaid import Axis, overlaid_lines
from isogloss.backend.charts.parts.theme import COLOURS

FRAME = pd.DataFrame(
    {
        "who": ["a", "a", "a", "b <i>", "b <i>"],
        "rank": [1, 2, 100, 1, 2],
        "share": [0.5, 0.3, 0.2, 0.75, np.nan],
        "law": [0.5, 0.4, 0.1, np.nan, np.nan],
        "count": [5, 3, 2, 30, 10],
    }
)
X, Y = Axis("rank", "Rank (1 = first)", form=",.0f"), Axis("share", "Share of all")


def test_each_thing_is_a_line_with_its_numbers() -> None:
    figure = overlaid_lines(FRAME, X, Y, name="who", notes={"count": ("Tokens", ",.0f")}, colours={"a": COLOURS[5]})
    first, second = figure.data
    np.testing.assert_array_equal(first.x, np.float32([1, 2, 100]))
    np.testing.assert_array_equal(first.y, np.float32([0.5, 0.3, 0.2]))
    np.testing.assert_array_equal(second.y, np.float32([0.75, np.nan]))
    assert (first.mode, first.connectgaps) == ("lines+markers", False)
    assert (first.name, second.name) == ("a", "b &lt;i&gt;")
    assert second.hovertext[0] == ("b &lt;i&gt;<br>Rank: <b>1</b><br>Share of all: <b>0.750</b><br>Tokens: <b>30</b>")
    assert "Share" not in second.hovertext[1]
    assert first.line.color == COLOURS[5] != second.line.color
    assert first.line.dash != second.line.dash
    assert first.marker.symbol != second.marker.symbol


def test_axes_start_at_zero_with_room_for_markers() -> None:
    figure = overlaid_lines(FRAME, X, Y, name="who")
    assert -0.1 < figure.layout.yaxis.range[0] < 0
    assert 0.75 < figure.layout.yaxis.range[1] < 0.85
    whole = overlaid_lines(FRAME, Axis("rank", "Rank", whole=True), Y, name="who")
    assert whole.layout.xaxis.tickmode == "linear"
    assert whole.layout.xaxis.dtick == 5


def test_logarithmic_axes_hold_everything_and_skip_what_has_no_logarithm() -> None:
    frame = FRAME.assign(share=[0.5, 0.0, 0.2, 0.75, -1.0])
    figure = overlaid_lines(frame, Axis("rank", "Rank", log=True), Axis("share", "Share", log=True), name="who")
    assert np.isnan(figure.data[0].y).tolist() == [False, True, False]
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"
    low, high = figure.layout.xaxis.range
    assert low < 0 < 2 < high < 2.2
    assert figure.layout.xaxis.dtick == 1
    assert figure.layout.yaxis.dtick == "D2"  # less than a decade and a half
    assert figure.layout.yaxis.tickformat == "~g"  # 0.5, where plotly would write a small 5
    assert not overlaid_lines(FRAME.assign(rank=0.0), Axis("rank", "Rank", log=True), Y, name="who").data


def test_a_fit_is_a_dotted_line_of_the_same_colour_where_there_is_one() -> None:
    figure = overlaid_lines(FRAME, X, Y, name="who", look="points", fitted="law", fitted_name="law")
    points, fit, other = figure.data
    assert (points.mode, fit.mode, other.mode) == ("markers", "lines", "markers")
    np.testing.assert_array_equal(fit.y, np.float32([0.5, 0.4, 0.1]))
    assert (fit.line.color, fit.line.dash) == (points.marker.color, "dot")
    assert (fit.name, fit.legendgroup, fit.showlegend) == ("a, law", "a", False)


def test_versions_share_a_colour_and_differ_in_dash() -> None:
    frame = pd.DataFrame({"who": ["a", "a", "b", "b"], "kind": ["x", "y"] * 2, "rank": [1] * 4, "share": [0.1, 0.2, 0.3, 0.4]})
    figure = overlaid_lines(frame, X, Y, name="who", version="kind")
    assert [trace.name for trace in figure.data] == ["a · x", "a · y", "b · x", "b · y"]
    one, other, third, fourth = figure.data
    assert one.line.color == other.line.color != third.line.color == fourth.line.color
    assert one.line.dash == third.line.dash != other.line.dash == fourth.line.dash


def test_steps_and_long_lines_have_no_markers_and_many_points_small_ones() -> None:
    steps = overlaid_lines(FRAME, X, Y, name="who", look="steps").data[0]
    assert (steps.mode, steps.line.shape) == ("lines", "hvh")
    long = pd.DataFrame({"who": ["a"] * 100, "rank": np.arange(1, 101), "share": np.linspace(0, 1, 100)})
    assert overlaid_lines(long, X, Y, name="who").data[0].mode == "lines"
    assert overlaid_lines(long, X, Y, name="who", look="points").data[0].marker.size == 5
