"""Many models apart: every panel has its own lines in colour and all others in grey, on the axes of all."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from isogloss.backend.charts.controls import add_controls
from isogloss.backend.charts.curves import curves
from isogloss.backend.charts.gap_curves import gap_curves
from isogloss.backend.charts.parts.apart import OTHERS, apart
from isogloss.backend.charts.parts.for_print import for_print
from isogloss.backend.charts.parts.paper import add_named_reference

EVIL = '<a href="x">m</a> %{y} $y$'
NAMES = [EVIL, *(f"m{place}" for place in range(1, 12))]


def rows(models: list[str] = NAMES, lines: tuple[str, ...] = ("",)) -> pd.DataFrame:
    """Values that tell their model and line: the place of the model in tenths, and of the line in hundredths."""
    found = [
        {"model": model, "line": line, "layer": layer, "value": place / 10 + at / 100, "low": -0.2, "high": 1.5, "n": 5}
        for place, model in enumerate(models)
        for at, line in enumerate(lines)
        for layer in (0, 1, 2)
    ]
    return pd.DataFrame(found)


def drawn(frame: pd.DataFrame, **more: object) -> go.Figure:
    return apart(curves(frame, x="layer", value_title="Score (share; higher = better)", title="T", panels=True, **more))


def of_panel(figure: go.Figure, index: int) -> tuple[list[go.Scatter], list[go.Scatter]]:
    """The traces of a panel: those of its own, and the grey ones behind."""
    axis = "x" if index == 0 else f"x{index + 1}"
    own = [trace for trace in figure.data if (trace.xaxis or "x") == axis]
    return [each for each in own if each.line.color != OTHERS], [each for each in own if each.line.color == OTHERS]


def test_each_model_has_its_panel_and_all_others_behind_it() -> None:
    frame = rows()
    frame.loc[(frame["model"] == "m3") & (frame["layer"] == 1), "value"] = np.nan
    figure = drawn(frame)
    headings = [note.text for note in figure.layout.annotations if note.xanchor == "center" and note.yanchor == "bottom"]
    assert len(headings) == 12
    assert "<a" not in headings[0]
    assert headings[1] == "m1"
    for index in range(12):
        own, behind = of_panel(figure, index)
        (line,) = [each for each in own if each.mode == "lines+markers"]
        (area,) = [each for each in own if each.fill == "toself"]
        expected = frame[frame["model"] == NAMES[index]]["value"].to_numpy()
        assert np.asarray(line.y, float) == pytest.approx(expected, nan_ok=True)
        assert max(value for value in area.y if value is not None) == 1.5
        (grey,) = behind
        others = [frame[frame["model"] == name]["value"].tolist() for name in NAMES if name != NAMES[index]]
        assert np.asarray(grey.y, float) == pytest.approx(
            np.array([part for each in others for part in (*each, np.nan)]), nan_ok=True
        )
        assert grey.hoverinfo == "skip"
        assert grey.customdata is None
        assert "<a" not in line.hovertext[0]
        assert [list(each) for each in line.customdata] == [[NAMES[index], "", layer] for layer in (0.0, 1.0, 2.0)]
    assert not any(trace.legendgroup or trace.showlegend for trace in figure.data)


def test_all_panels_have_the_axes_of_the_whole_figure() -> None:
    figure = drawn(rows(), chance=-0.5)
    low, high = figure.layout.yaxis.range
    assert low < -0.5
    assert high > 1.5
    assert figure.layout.xaxis.range[0] < 0
    assert figure.layout.xaxis.range[1] > 2
    assert all(figure.layout[f"{axis}axis{n}"].matches == axis for axis in "xy" for n in range(2, 13))
    assert [shape.yref for shape in figure.layout.shapes] == ["y", *(f"y{n}" for n in range(2, 13))]
    assert [shape.xref for shape in figure.layout.shapes][:2] == ["x domain", "x2 domain"]
    assert sum(note.text == "chance" for note in figure.layout.annotations) == 1
    ranged = drawn(rows(), value_range=(-1, 2))
    assert tuple(ranged.layout.yaxis.range) == (-1, 2)


def test_the_lines_of_one_model_come_into_panels_of_their_own() -> None:
    figure = drawn(rows(["m"], ("layer 0", "layer 1", "layer 2")))
    assert [note.text for note in figure.layout.annotations[:3]] == ["layer 0", "layer 1", "layer 2"]
    own, behind = of_panel(figure, 1)
    assert np.asarray(own[-1].y, float) == pytest.approx([0.01] * 3)
    assert len(behind[0].y) == 2 * 4


def test_several_lines_of_a_model_share_its_panel() -> None:
    figure = drawn(rows(["a", "b"], ("one", "two")))
    for index in range(2):
        own, behind = of_panel(figure, index)
        assert sum(each.mode == "lines+markers" for each in own) == 2
        assert len(behind[0].y) == 2 * 4


def test_controls_stand_with_their_model_and_references_in_every_panel() -> None:
    frame = rows(["a", "b"]).assign(control="")
    both = pd.concat([frame, frame.assign(control="length", value=0.3)])
    figure = curves(frame, x="layer", value_title="S", panels=True)
    add_controls(figure, both, x="layer", styles={"length": "dash"})
    add_named_reference(figure, 0.9, ["Static"])
    found = apart(figure)
    for index, model in enumerate("ab"):
        own, behind = of_panel(found, index)
        assert [each.meta for each in own] == [model] * 3
        assert len(behind) == 1
        assert len(behind[0].y) == 4
    references = [shape for shape in found.layout.shapes if shape.y0 == 0.9]
    assert [(shape.xref, shape.yref, shape.showlegend) for shape in references] == [
        ("x domain", "y", True),
        ("x2 domain", "y2", False),
    ]


def test_points_lie_with_their_model_alone() -> None:
    lines = pd.DataFrame([{"model": m, "line": "", "at": at, "value": 0.1} for m in "ab" for at in (0.0, 0.1)])
    points = pd.DataFrame([{"model": m, "line": "", "train": 0.1, "value": 0.2, "step": 5} for m in "ab"])
    figure = apart(gap_curves(lines, x_title="X (%)", y_title="Y (%)", behind=points, levels={"guess": 0.5}))
    for index, model in enumerate("ab"):
        own, _ = of_panel(figure, index)
        assert [(each.type, each.meta) for each in own] == [("scattergl", model), ("scatter", model)]
    assert [(shape.xref, shape.yref) for shape in figure.layout.shapes] == [("x", "y"), ("x2", "y2")]


def test_one_line_and_no_line_stay_as_they_are() -> None:
    one = curves(rows(["m"]), x="layer", value_title="S", panels=True)
    assert apart(one) is one
    nothing = curves(rows(["m"]).assign(value=np.nan), x="layer", value_title="S", panels=True)
    assert apart(nothing) is nothing


@pytest.mark.parametrize("width", ["column", "page"])
def test_it_is_made_for_print(width: str) -> None:
    made = for_print(drawn(rows()), width)  # type: ignore[arg-type]
    assert len(made["data"]) == 12 * 3
    assert sum(name.startswith("xaxis") for name in made["layout"]) == 12


def test_labels_below_a_small_panel_stand_clear_of_each_other() -> None:
    frame = pd.DataFrame(
        [{"model": m, "step": step, "value": 0.5} for m in "abc" for step in (0, 1000, 2000, 5000, 10000, 100000, 1000000)]
    )
    figure = apart(curves(frame, x="step", value_title="S", step_scale="log", panels=True))
    low, high = figure.layout.xaxis.range
    places, texts = figure.layout.xaxis.tickvals, figure.layout.xaxis.ticktext
    assert (texts[0], texts[-1]) == ("0", "1M")
    pixels = np.diff(np.array(places)) / (high - low) * 170
    assert (pixels > 7 * np.array([len(text) for text in texts[1:]])).all()
    assert sum(note.text == "//" for note in figure.layout.annotations) == 3  # the axis is broken in every panel
