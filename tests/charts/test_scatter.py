import json

import numpy as np
import pandas as pd
import pytest

from backend.charts.scatter import correlation_text, pairs_scatter

HOSTILE = '<a href="javascript:alert(1)">x</a>'
TITLES = {"x_title": "Language discrimination (share)", "y_title": "Meaning discrimination (share)"}


def pairs() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "source": ["de", "en", "fr", HOSTILE],
            "target": ["en", "fr", "it", "ru"],
            "x": [0.5, 0.6, np.nan, 0.9],
            "y": [0.9, 0.8, 0.7, 0.6],
        }
    )


def test_a_point_a_pair() -> None:
    figure = pairs_scatter(pairs(), **TITLES, pearson=-0.77, spearman=-0.71)
    (points,) = figure.data
    assert points.x == pytest.approx([0.5, 0.6, 0.9])
    assert [list(row) for row in points.customdata] == [["de", "en", ""], ["en", "fr", ""], [HOSTILE, "ru", ""]]
    assert points.hovertext[0].startswith("<b>de – en</b><br>Language discrimination: <b>0.500</b>")
    assert "<a" not in points.hovertext[2]
    assert figure.layout.annotations[0].text == "Pearson r = −0.77 · Spearman ρ = −0.71 · 3 pairs · 1 without both scores"
    assert json.loads(figure.to_json())["data"][0]["x"]["dtype"] == "f4"
    assert figure.layout.xaxis.title.text == TITLES["x_title"]
    assert correlation_text(None, float("nan"), 1) == "1 pair"


def test_models_have_colours_of_their_own() -> None:
    figure = pairs_scatter(pairs().assign(model=["a", "b", "b", "a"]), **TITLES, colours={"b": "#123456"})
    assert [trace.name for trace in figure.data] == ["a", "b"]
    assert figure.data[1].marker.color == "#123456"
    assert all(trace.showlegend for trace in figure.data)


def test_the_fit_is_least_squares() -> None:
    data = pd.DataFrame({"source": "a", "target": "b", "x": [0.0, 1, 2, 3], "y": [1.0, 3, 2, 5]})
    line = pairs_scatter(data, **TITLES, fit=True).data[-1]
    slope, intercept = np.polyfit(data["x"], data["y"], 1)
    assert line.y == pytest.approx(slope * line.x + intercept, rel=1e-5)


@pytest.mark.parametrize("xs", [[0.5], [0.5, 0.5, 0.5]])
def test_no_fit_through_points_on_a_vertical(xs: list[float]) -> None:
    data = pd.DataFrame({"source": "a", "target": "b", "x": xs, "y": np.linspace(0, 1, len(xs))})
    assert len(pairs_scatter(data, **TITLES, fit=True).data) == 1


def test_lines_of_text_stand_under_each_other_and_none_tells_of_a_fit_that_is_not_there() -> None:
    figure = pairs_scatter(pairs(), **TITLES, pearson=0.5, fit=True, printed=["A paper: 0.77", HOSTILE])
    first, fit, paper, hostile = figure.layout.annotations[0].text.split("<br>")
    assert (first, fit, paper) == ("Pearson r = 0.50 · 3 pairs · 1 without both scores", "line: least squares", "A paper: 0.77")
    assert "<a" not in hostile
    assert figure.layout.margin.t >= 4 * 18 + pairs_scatter(pairs(), **TITLES).layout.margin.t - 20
    upright = pd.DataFrame({"source": "a", "target": "b", "x": [0.5, 0.5], "y": [0, 1]})
    assert "least squares" not in pairs_scatter(upright, **TITLES, fit=True).layout.annotations[0].text
