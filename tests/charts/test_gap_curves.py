import html
import json

import numpy as np
import pandas as pd
import pytest
from plotly import graph_objects as go

from isogloss.backend.charts.gap_curves import gap_curves
from isogloss.backend.charts.parts.theme import COLOURS, RAMP
from isogloss.backend.charts.record_points import record_points
from isogloss.backend.charts.stacked import stacked_bars

X, Y = "Training error E′ (% of training examples)", "IGap (percentage points of error; lower = better transfer)"


def lines(models: str = "a", names: tuple[str, ...] = ("",)) -> pd.DataFrame:
    rows = [
        {"model": model, "line": name, "at": 0.025 * i, "value": value, "least": 3, "most": 3 + i, "directions": 6}
        for model in models
        for name in names
        for i, value in enumerate((0.05, np.nan, -0.01, 0.07))
    ]
    return pd.DataFrame(rows)


def drawn(figure: go.Figure, kind: str = "scatter") -> list[go.Scatter]:
    return [trace for trace in figure.data if trace.type == kind]


def test_shares_are_drawn_in_percent_and_windows_without_a_value_are_gaps() -> None:
    figure = gap_curves(lines(), x_title=X, y_title=Y, title="T", epsilon=0.025)
    (line,) = drawn(figure)
    assert line.x == pytest.approx([0, 2.5, 5, 7.5])
    assert np.asarray(line.y) == pytest.approx([5, np.nan, -1, 7], nan_ok=True)
    assert line.connectgaps is False
    assert line.hovertext[1] == ""
    said = html.unescape(line.hovertext[2])
    assert "5% to under 7.5%" in said
    assert "−1.0" in said
    assert "Models in the window: 3 to 5" in said
    assert "Mean of 6 directions" in said
    assert "Models in the window: 3<br>" in html.unescape(line.hovertext[0])
    assert html.unescape(figure.layout.yaxis.title.text).replace("<br>", " ") == Y
    assert figure.layout.xaxis.range[0] < 0 < 7.5 < figure.layout.xaxis.range[1]
    assert json.loads(figure.to_json())["data"][0]["y"]["dtype"] == "f4"
    few = gap_curves(lines().assign(at=0.0), x_title=X, y_title=Y, x_end=100)
    assert few.layout.xaxis.range == pytest.approx((-2, 102))


def test_models_keep_their_colours_and_one_models_lines_have_them_in_order() -> None:
    figure = gap_curves(lines("ab", ("x", "y")), x_title=X, y_title=Y, colours={"a": COLOURS[3], "b": COLOURS[4]})
    assert [line.line.color for line in drawn(figure)] == [COLOURS[3]] * 2 + [COLOURS[4]] * 2
    assert len({(line.line.color, line.line.dash) for line in drawn(figure)}) == 4
    assert [line.name for line in drawn(figure)] == ["a · x", "a · y", "b · x", "b · y"]
    single = gap_curves(lines("a", ("x", "y")), x_title=X, y_title=Y)
    assert [line.line.color for line in drawn(single)] == [RAMP[0], RAMP[-1]]


def test_points_lie_behind_their_line_in_its_colour() -> None:
    behind = pd.DataFrame({"model": ["a", "b"], "line": ["", ""], "train": [0.1, 0.2], "value": [0.3, 0.4], "step": [10, 20]})
    figure = gap_curves(lines("ab"), x_title=X, y_title=Y, behind=behind)
    points = drawn(figure, "scattergl")
    assert [trace.type for trace in figure.data] == ["scattergl"] * 2 + ["scatter"] * 2
    assert [each.marker.color for each in points] == [each.line.color for each in drawn(figure)]
    assert points[1].x == pytest.approx([20])
    assert points[1].y == pytest.approx([40])
    assert figure.layout.xaxis.range[1] > 20


PARTS = {"train": "Training error", "inter": "Interlingual gap", "intra": "Intralingual gap"}


def bars() -> pd.DataFrame:
    rows = [("p1", "de", 0.1, 0.2, -0.15, "least of 3"), ("p1", "zh", 0.0, 0.3, 0.1, ""), ("p2", "zh", 0.1, -0.05, -0.1, "")]
    return pd.DataFrame(rows, columns=["panel", "bar", "train", "inter", "intra", "note"])


def test_parts_below_zero_hang_down_and_the_dot_is_the_sum() -> None:
    figure = stacked_bars(bars(), parts=PARTS, total="Target error", y_title=Y, title="T", bars=("de", "en", "zh"))
    assert figure.layout.barmode == "relative"
    stacks, dots = drawn(figure, "bar"), drawn(figure)
    assert len(stacks) == 6
    assert len(dots) == 2
    for panel, expected in enumerate(([15, np.nan, 40], [np.nan, np.nan, -5])):
        parts = np.array([trace.y for trace in stacks[3 * panel : 3 * panel + 3]])
        assert np.asarray(dots[panel].y) == pytest.approx(expected, nan_ok=True, abs=1e-5)
        assert parts.sum(axis=0) == pytest.approx(expected, nan_ok=True, abs=1e-5)
    assert stacks[2].y[0] == pytest.approx(-15)
    assert stacks[0].x == ("de", "en", "zh")
    assert [(trace.xaxis, trace.yaxis) for trace in dots] == [("x", "y"), ("x2", "y2")]
    assert figure.layout.yaxis2.matches == "y"
    assert [each.text for each in figure.layout.annotations] == ["p1", "p2"]
    assert "least of 3" in dots[0].hovertext[0]
    assert "−15.0" in html.unescape(dots[0].hovertext[0])
    assert [trace.showlegend for trace in stacks] == [True] * 3 + [False] * 3


def test_many_panels_lie_in_rows_that_do_not_overlap() -> None:
    languages = [f"l{i}" for i in range(15)]
    data = pd.DataFrame([(p, b, 0.1, 0.1, 0.1) for p in languages for b in languages], columns=["panel", "bar", *PARTS])
    figure = stacked_bars(data, parts=PARTS, total="Sum", y_title=Y)
    places = {}
    for index in range(15):
        name = "" if index == 0 else str(index + 1)
        places[index] = (figure.layout[f"xaxis{name}"].domain, figure.layout[f"yaxis{name}"].domain)
    assert len({round(down[1], 6) for _, down in places.values()}) == 8
    for first in places.values():
        for second in places.values():
            if first is not second:
                apart = [a[1] <= b[0] + 1e-9 or b[1] <= a[0] + 1e-9 for a, b in zip(first, second, strict=True)]
                assert any(apart)
    assert figure.layout.height > 8 * 200


def points(n: int = 6) -> pd.DataFrame:
    made = {
        "name": [f"m{i % 2}, gaussian" for i in range(n)],
        "model": [f"m{i % 2}" for i in range(n)],
        "source": ["en"] * n,
        "target": ["de" if i % 3 else "zh" for i in range(n)],
        "train": [0.01 * i for i in range(n)],
        "value": [0.02 * i - 0.01 for i in range(n)],
        "step": [10 * i for i in range(n)],
        "epoch": list(range(n)),
    }
    return pd.DataFrame(made)


@pytest.mark.parametrize(("colour_by", "traces"), [("model", 2), ("epoch", 2), ("target", 2)])
def test_every_point_is_drawn_once_with_webgl(colour_by: str, traces: int) -> None:
    figure = record_points(points(), colour_by=colour_by, x_title=X, y_title=Y, colours={"m0": COLOURS[5], "m1": COLOURS[6]})  # type: ignore[arg-type]
    assert [trace.type for trace in figure.data] == ["scattergl"] * traces
    across = np.sort(np.concatenate([trace.x for trace in figure.data]))
    assert across == pytest.approx([0, 1, 2, 3, 4, 5])
    up = np.sort(np.concatenate([trace.y for trace in figure.data]))
    assert up == pytest.approx([-1, 1, 3, 5, 7, 9])
    if colour_by == "model":
        assert [trace.marker.color for trace in figure.data] == [COLOURS[5], COLOURS[6]]
    if colour_by == "epoch":
        assert figure.layout.coloraxis.colorbar.title.text == "Epoch"
        assert [list(trace.marker.color) for trace in figure.data] == [[0, 2, 4], [1, 3, 5]]
    if colour_by == "target":
        assert [trace.name for trace in figure.data] == ["de", "zh"]
    assert figure.data[0].text[0].startswith("en → ")


def test_a_hundred_thousand_points_are_sent_as_numbers_and_each_axis_as_it_is() -> None:
    for along, last in (("step", 50), ("epoch", 5)):
        figure = record_points(points(), colour_by="model", along=along, x_title=X, y_title=Y)  # type: ignore[arg-type]
        assert max(trace.x.max() for trace in figure.data) == last
    frame = pd.concat([points()] * 16_667, ignore_index=True)
    figure = record_points(frame, colour_by="model", x_title=X, y_title=Y)
    assert len(figure.to_json()) < 60 * len(frame)
    assert figure.data[0].marker.size == 4


def in_six_panels(along: str = "train") -> go.Figure:
    """Six directions of two models: the first model lacks the first direction, the second the last."""
    names = [f"en → {tag}" for tag in "abcdef"]
    frame = pd.concat([points(12).assign(panel=name, target=name[-1]) for name in names], ignore_index=True)
    lacking = (frame["panel"].eq(names[0]) & frame["model"].eq("m0")) | (frame["panel"].eq(names[5]) & frame["model"].eq("m1"))
    return record_points(frame[~lacking], colour_by="model", along=along, x_title=X, y_title=Y)  # type: ignore[arg-type]


def test_a_panel_a_direction_has_every_model_in_its_colour_and_one_legend() -> None:
    figure = in_six_panels()
    assert [html.unescape(note.text) for note in figure.layout.annotations][:6] == [f"en → {tag}" for tag in "abcdef"]
    by_axis = {axis: {trace.name for trace in figure.data if trace.xaxis == axis} for axis in ("x", "x2", "x6")}
    assert by_axis == {"x": {"m1, gaussian"}, "x2": {"m0, gaussian", "m1, gaussian"}, "x6": {"m0, gaussian"}}
    said = [trace.name for trace in figure.data if trace.showlegend]
    assert sorted(said) == ["m0, gaussian", "m1, gaussian"]
    assert len({(trace.name, trace.marker.color, trace.marker.symbol, trace.legendgroup) for trace in figure.data}) == 2


@pytest.mark.parametrize("along", ["train", "step", "epoch"])
def test_panels_do_not_overlap_and_share_their_scales(along: str) -> None:
    figure = in_six_panels(along)
    places = []
    for number in ("", "2", "3", "4", "5", "6"):
        across, up = figure.layout[f"xaxis{number}"], figure.layout[f"yaxis{number}"]
        assert (across.anchor, up.anchor) == (f"y{number}", f"x{number}")
        if number:
            assert (across.matches, up.matches) == ("x", "y")
        else:  # with the ends of one scale alone, plotly draws nothing on the others
            assert across.range[0] < 0 < across.range[1]
            assert up.range[0] < -1 < 21 < up.range[1]
        places.append((across.domain, up.domain))
    for index, first in enumerate(places):
        for second in places[:index]:
            assert any(a[1] < b[0] or b[1] < a[0] for a, b in zip(first, second, strict=True))
    titled = [axis.title.text for axis in figure.select_yaxes() if axis.title.text]
    assert len(titled) == 1
    assert html.unescape(figure.layout.annotations[-1].text) == X


def test_curves_in_panels_have_their_points_behind_them_and_a_legend_once() -> None:
    names = ["en → de", "de → en", "en → zh", "zh → en"]
    frame = pd.concat([lines("ab").assign(panel=name) for name in names], ignore_index=True)
    behind = pd.DataFrame({"model": "a", "line": "", "train": 0.01, "value": 0.02, "step": 3, "panel": names})
    figure = gap_curves(frame, x_title=X, y_title=Y, behind=behind, epsilon=0.025)
    assert [html.unescape(note.text) for note in figure.layout.annotations][:4] == names
    for index in range(4):
        own = [trace for trace in figure.data if trace.xaxis == ("x" if index == 0 else f"x{index + 1}")]
        assert [(trace.type, trace.name) for trace in own] == [("scattergl", "a"), ("scatter", "a"), ("scatter", "b")]
    assert [trace.name for trace in figure.data if trace.showlegend] == ["a", "b"]
    single = gap_curves(frame[frame["panel"] == names[0]], x_title=X, y_title=Y)
    assert html.unescape(single.layout.xaxis.title.text) == X
