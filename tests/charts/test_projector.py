"""A figure for a projector: larger, fewer and shorter numbers, none of them another number."""

from __future__ import annotations

import re

import numpy as np
import plotly.graph_objects as go
import pytest

from isogloss.backend.charts.difference import difference_heatmap
from isogloss.backend.charts.grid import Grid
from isogloss.backend.charts.heatmap import heatmap_of
from isogloss.backend.charts.parts.projector import LARGER, enlarged


def square(values: np.ndarray, **more: object) -> go.Figure:
    names = tuple(f"L{i}" for i in range(len(values)))
    cells = Grid(values.astype(np.float32), names, names, title="Scores")
    return heatmap_of(cells, colour_title="Score", row_title="Row", column_title="Column", show_values=True, **more)  # type: ignore[arg-type]


def texts(figure: go.Figure) -> list[list[str]]:
    return [[re.sub("<[^>]*>", "", text) for text in row] for row in figure.data[0].text]


def test_half_of_a_symmetric_matrix_is_left_with_two_decimals() -> None:
    values = np.random.default_rng(0).uniform(0.5, 1, (6, 6))
    values = (values + values.T) / 2
    np.fill_diagonal(values, np.nan)
    figure = square(values)
    before = [list(row) for row in figure.data[0].text]
    drawn = enlarged(figure)
    for i, row in enumerate(texts(drawn)):
        for j, text in enumerate(row):
            assert text == (f"{values[i, j]:.2f}".lstrip("0") if j < i else ""), (i, j)
    left = np.asarray(drawn.data[0].z, float)
    assert np.isnan(left[np.triu_indices(6)]).all()
    np.testing.assert_allclose(left[np.tril_indices(6, -1)], values[np.tril_indices(6, -1)], atol=1e-6)
    assert drawn.data[0].textfont.size > figure.data[0].textfont.size * LARGER
    assert [list(row) for row in figure.data[0].text] == before  # the figure on the page stays as it is


def test_a_matrix_with_a_direction_is_left_whole() -> None:
    values = np.arange(9.0).reshape(3, 3) / 10
    drawn = enlarged(square(values))
    assert [text for row in texts(drawn) for text in row] == [".00", ".10", ".20", ".30", ".40", ".50", ".60", ".70", ".80"]
    percent = enlarged(square(values * 100, form=".1f", range=(0, 100)))
    assert texts(percent)[2] == ["60.0", "70.0", "80.0"]


def test_a_difference_keeps_its_sign() -> None:
    names = ("a", "b")
    first, second = (
        Grid(np.array(each, np.float32), names, names) for each in ([[0.1, 0.5], [0.2, 0.9]], [[0.3, 0.5], [0.1, 0.2]])
    )
    titles = {"first_name": "A", "second_name": "B", "colour_title": "D", "row_title": "", "column_title": ""}
    drawn = enlarged(difference_heatmap(first, second, **titles))
    signed = [text.replace("−", "-") for row in texts(drawn) for text in row]
    assert [float(text) for text in signed] == pytest.approx([-0.2, 0, 0.1, 0.7])
    assert signed[3].startswith("+.")


def test_every_font_is_half_as_large_again() -> None:
    figure = square(np.arange(4.0).reshape(2, 2))
    drawn = enlarged(figure)
    assert drawn.layout.xaxis.tickfont.size == pytest.approx(figure.layout.xaxis.tickfont.size * LARGER)
    assert drawn.layout.yaxis.title.font.size == pytest.approx(figure.layout.yaxis.title.font.size * LARGER)
    assert drawn.layout.xaxis.title.text == figure.layout.xaxis.title.text
    assert drawn.layout.title.text == figure.layout.title.text
    assert drawn.layout.title.font.size >= 16 * LARGER
    assert drawn.layout.coloraxis.colorbar.tickfont.size >= 12 * LARGER
    assert drawn.layout.height is None
