import json

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from isogloss.backend.charts.correlation_curves import correlation_over_checkpoints
from isogloss.backend.charts.curves import curves, shared_range
from isogloss.backend.charts.parts.lines import band
from isogloss.backend.charts.parts.paper import PRINTED, add_named_reference, add_reference
from isogloss.backend.charts.parts.theme import COLOURS, RAMP

TITLE = "Meaning discrimination (share of triplets, higher = better separated)"


def frame(models: str = "a", lines: tuple[str, ...] | None = None, steps: tuple[int, ...] = (0, 1000, 2000)) -> pd.DataFrame:
    rows = [
        {
            "model": model,
            "line": line,
            "step": step,
            "layer": i,
            "value": 0.6 + 0.1 * i,
            "low": 0.5 + 0.1 * i,
            "high": 0.7 + 0.1 * i,
        }
        for model in models
        for line in lines or [""]
        for i, step in enumerate(steps)
    ]
    made = pd.DataFrame(rows)
    return made if lines else made.drop(columns="line")


def test_figures_side_by_side_have_one_range() -> None:
    higher = frame().assign(value=0.9, low=0.85, high=[0.95, np.nan, 0.9])
    assert shared_range(frame(), higher) == pytest.approx((0.5 - 0.0225, 0.95 + 0.0225))
    assert shared_range(frame(), higher, at_least=[0.4])[0] == pytest.approx(0.4 - 0.0275)  # type: ignore[index]
    assert shared_range(frame().head(0)) is None


def lines_of(figure: go.Figure) -> list[go.Scatter]:
    return [trace for trace in figure.data if trace.mode == "lines+markers"]


def test_a_line_with_its_band() -> None:
    figure = curves(frame(), x="step", value_title=TITLE, title="T")
    (line,) = lines_of(figure)
    assert line.y == pytest.approx([0.6, 0.7, 0.8])
    assert line.connectgaps is False
    assert "95% interval: 0.500 to 0.700" in line.hovertext[0]
    assert "Step: <b>1,000</b>" in line.hovertext[1]
    assert figure.data[0].fill == "toself"
    assert figure.layout.yaxis.title.text == "Share of triplets, higher = better separated", (
        "in one line: the heading has the name"
    )
    assert curves(frame(), x="step", value_title=TITLE).layout.yaxis.title.text.replace("<br>", " ") == TITLE
    longest = "Language discrimination (share of triplets; higher = languages more separable)"
    low = curves(frame(), x="step", value_title=longest, title="T", height=400).layout.yaxis.title.text
    assert low == "Share of triplets; higher = languages more separable", "the longest of ABX, in the height that it has"
    assert "chance" in [a.text for a in figure.layout.annotations]
    assert json.loads(figure.to_json())["data"][1]["y"]["dtype"] == "f4"
    (alone,) = curves(frame(), x="step", value_title=TITLE, bands=False).data
    assert (alone.mode, alone.hovertext) == ("lines+markers", line.hovertext)


@pytest.mark.parametrize("how", ["nan", "absent"])
def test_a_missing_score_is_a_gap_and_not_zero(how: str) -> None:
    data = frame(lines=("l1", "l2"))
    place = (data["line"] == "l1") & (data["step"] == 1000)
    if how == "nan":
        data.loc[place, "value"] = np.nan
    else:
        data = data[~place]
    figure = curves(data, x="step", value_title=TITLE)
    line = lines_of(figure)[0]
    assert line.y[[0, 2]] == pytest.approx([0.6, 0.8])
    assert np.isnan(line.y[1])
    outline = figure.data[0]
    assert 1000 not in list(outline.x)
    assert None in list(outline.x)


def test_bands_end_where_an_end_is_missing() -> None:
    x = np.arange(5.0)
    low, high = np.array([0, 0, np.nan, 0, 0.0]), np.array([1, 1, 1, 1, np.nan])
    xs, ys = band(x, low, high)
    assert xs == [0, 1, 1, 0, 0, None, 3, 3, 3]
    assert ys == [1, 1, 0, 0, 1, None, 1, 0, 1]
    assert band(x, low * np.nan, high) == ([], [])


@pytest.mark.parametrize(
    ("models", "lines", "colours", "dashes", "names"),
    [
        ("ab", None, (COLOURS[0], "#123456"), ("solid", "dash"), ("a", "b")),
        (
            "ab",
            ("l1", "l2"),
            (COLOURS[0],) * 2 + ("#123456",) * 2,
            ("solid", "dash") * 2,
            ("a · l1", "a · l2", "b · l1", "b · l2"),
        ),
        ("a", ("l1", "l2", "l3"), (RAMP[0], RAMP[4], RAMP[8]), ("solid",) * 3, ("l1", "l2", "l3")),
        ("b", None, ("#123456",), ("solid",), ("b",)),
    ],
)
def test_models_keep_their_colour_and_lines_of_one_model_have_theirs_in_order(
    models: str, lines: tuple[str, ...] | None, colours: tuple[str, ...], dashes: tuple[str, ...], names: tuple[str, ...]
) -> None:
    given = {"b": "#123456", "z": "#000000"}
    drawn = lines_of(curves(frame(models, lines), x="step", value_title=TITLE, colours=given))
    assert tuple(line.line.color for line in drawn) == colours
    assert tuple(line.line.dash for line in drawn) == dashes
    assert len({line.marker.symbol for line in drawn}) == len(set(dashes))
    assert tuple(line.name for line in drawn) == names


def test_step_zero_is_shown_on_a_logarithmic_axis() -> None:
    figure = curves(frame(), x="step", value_title=TITLE, step_scale="log")
    (line,) = lines_of(figure)
    assert len(line.x) == 3
    assert np.isfinite(line.x).all()
    assert line.x[0] < line.x[1] == pytest.approx(3)
    assert figure.layout.xaxis.ticktext[0] == "0"
    assert figure.layout.xaxis.type == "linear"
    assert "//" in [a.text for a in figure.layout.annotations]
    assert figure.layout.xaxis.title.text == "Training step (logarithmic)"


def test_nullable_columns_and_single_points() -> None:
    data = frame(steps=(0,)).astype({"step": "Int64"})
    (line,) = lines_of(curves(data, x="step", value_title=TITLE, step_scale="log"))
    assert line.y == pytest.approx([0.6])
    no_interval = curves(data.drop(columns=["low", "high"]), x="step", value_title=TITLE)
    assert len(no_interval.data) == 1
    for empty in (frame().iloc[:0], frame().assign(step=np.nan)):
        assert not curves(empty, x="step", value_title=TITLE).data


def test_two_values_at_one_place_are_refused() -> None:
    with pytest.raises(ValueError, match="more than one value"):
        curves(pd.concat([frame(), frame()]), x="step", value_title=TITLE)


def test_correlations_that_permuting_does_not_tell_from_0_have_open_markers() -> None:
    rows = frame().assign(line="Pearson", p=[0.01, np.nan, 0.2])
    figure = correlation_over_checkpoints(rows)
    assert figure.layout.yaxis.range == (-1.05, 1.05)
    assert "unrelated" in [each.text for each in figure.layout.annotations]
    (drawn,) = lines_of(figure)
    of_step = dict(zip(rows["step"].astype(float), rows["p"], strict=True))
    for (_, _, step), symbol, text in zip(drawn.customdata, drawn.marker.symbol, drawn.hovertext, strict=True):
        assert symbol.endswith("-open") != (of_step[step] < 0.05)
        assert ("p = " in text) == (of_step[step] == of_step[step])


def test_a_printed_number_is_labelled() -> None:
    figure = add_reference(curves(frame(), x="step", value_title=TITLE), 0.77)
    assert f"{PRINTED}: 0.77" in [a.text for a in figure.layout.annotations]
    figure = add_named_reference(
        curves(frame(), x="step", value_title=TITLE), -0.83, ["A <b>paper</b>,", "Spearman"], dash="dot"
    )
    line = figure.layout.shapes[-1]
    assert (line.y0, line.y1, line.showlegend, line.line.dash) == (-0.83, -0.83, True, "dot")
    assert line.name == "A &lt;b&gt;paper&lt;/b&gt;,<br>Spearman: −0.83"
    assert figure.layout.legend.orientation == "v"


def test_few_lines_are_named_under_the_title_and_many_beside() -> None:
    few = curves(frame("ab"), x="step", value_title=TITLE, title="T", height=400)
    assert few.layout.legend.orientation == "h"
    assert few.layout.margin.t >= 34 + 2 * 29  # the title's row and one a line
    many = curves(frame("ab", tuple("12345678")), x="step", value_title=TITLE, title="T", height=400)
    assert (many.layout.legend.orientation, many.layout.legend.xanchor) == ("v", "left")
    assert many.layout.height == 16 * 29 + 130
    assert curves(frame("abcdef", ("1", "2", "3", "4", "5")), x="step", value_title=TITLE, height=400).layout.height == 600


def test_many_lines_of_one_model_differ_in_dash_and_marker_too() -> None:
    few, many = (lines_of(curves(frame("a", [f"l{i}" for i in range(n)]), x="step", value_title=TITLE)) for n in (7, 8))
    assert {(line.line.dash, line.marker.symbol) for line in few} == {("solid", "circle")}
    looks = [(line.line.dash, line.marker.symbol, line.line.color) for line in many]
    assert len(set(looks)) == 8
    assert looks[0][:2] != looks[1][:2]


def test_a_long_name_keeps_its_end_and_its_lines_name() -> None:
    long = "a model with a name that no legend could ever hold, "
    drawn = lines_of(curves(frame([f"{long}large", f"{long}small"], ("de → en", "en → de")), x="step", value_title=TITLE))
    assert [line.name.rsplit(" ", 5)[1:] for line in drawn[:2]] == [
        ["large", *f"· {ends}".split()] for ends in ("de → en", "en → de")
    ]
    assert all(len(line.name) <= 40 + len(" · de → en") for line in drawn)
