"""Two measures of pairs of languages: a point a pair, the correlations over it, the least-squares line."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from isogloss.backend.charts.parts.theme import COLOURS
from isogloss.backend.figures.pairs import correlation_text, pairs_scatter

TITLES = {"x_title": "Language discrimination (share)", "y_title": "Meaning discrimination (share)", "title": "T"}
PAIRS = pd.DataFrame(
    {
        "source": ["de", "en", "fr", "it"],
        "target": ["en", "fr", "it", "ru"],
        "x": [0.5, 0.6, np.nan, 0.9],
        "y": [0.9, 0.8, 0.7, 0.6],
    }
)


def test_a_point_a_pair_in_the_colour_of_its_model() -> None:
    figure = pairs_scatter(PAIRS, **TITLES, pearson=-0.77, spearman=-0.71)
    (points,) = figure.data
    assert points.x == pytest.approx([0.5, 0.6, 0.9])
    assert list(points.hovertext) == ["de – en", "en – fr", "it – ru"]
    assert figure.layout.annotations[0].text == "Pearson r = −0.77 · Spearman ρ = −0.71 · 3 pairs · 1 without both scores"
    assert figure.layout.xaxis.title.text == TITLES["x_title"]
    colours = {"b": "#123456", "a": COLOURS[0]}
    several = pairs_scatter(PAIRS.assign(model=["a", "b", "b", "a"]), **TITLES, spearman=0.5, colours=colours)
    assert {trace.name: trace.marker.color for trace in several.data} == colours
    assert all(trace.showlegend for trace in several.data)
    assert list(several.data[0].hovertext) == ["de – en, a", "it – ru, a"]
    assert correlation_text(None, float("nan"), 1, 0, "point") == "1 point"


@pytest.mark.parametrize("xs", [[0.0, 1, 2, 3], [0.5, 0.5, 0.5, 0.5]])
def test_the_fit_is_least_squares_and_said_where_there_is_one(xs: list[float]) -> None:
    data = PAIRS.assign(x=xs, y=[1.0, 3, 2, 5])
    drawn = pairs_scatter(data, **TITLES, spearman=0.5, fit=True, printed=["A paper: 0.77"])
    first, *fit, paper = drawn.layout.annotations[0].text.split("<br>")
    assert (first, paper) == ("Spearman ρ = 0.50 · 4 pairs", "A paper: 0.77")
    assert drawn.layout.margin.t == pairs_scatter(data, **TITLES, spearman=0.5).layout.margin.t + 20 * (len(fit) + 1)
    if xs[0] == xs[1]:  # on a vertical
        assert (len(drawn.data), fit) == (1, [])
        return
    line, _points = drawn.data
    slope, intercept = np.polyfit(data["x"], data["y"], 1)
    assert line.y == pytest.approx(slope * line.x + intercept, rel=1e-5)
    assert fit == ["line: least squares"]
