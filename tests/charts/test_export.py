import re

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from isogloss.backend.charts.grid import grid
from isogloss.backend.charts.heatmap import heatmap_of
from isogloss.backend.charts.parts.export import to_html

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"


def page(data: pd.DataFrame | None = None, rows: int = 5000) -> str:
    cells = grid(np.full((2, 2), 0.7), [HOSTILE, "b"], ["x", "y"])
    figure = heatmap_of(cells, colour_title="M", row_title="R", column_title="C")
    return to_html(figure, HOSTILE, HOSTILE, data, rows=rows)


def test_the_page_is_whole_and_loads_nothing() -> None:
    text = page()
    assert text.startswith("<!DOCTYPE html>")
    assert len(text) > 3_000_000
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=", text.split("<body>")[0] + text[-5000:])
    assert "default-src 'none'" in text


def test_nothing_of_the_users_is_markup() -> None:
    text = page(pd.DataFrame({HOSTILE: [HOSTILE]}))
    assert HOSTILE not in text
    assert "<script>alert" not in text
    assert "<img" not in text[:3000] + text[-20000:]
    assert "&lt;img src=x" in text


def test_the_table_says_what_it_leaves_out() -> None:
    data = pd.DataFrame({"value": [0.1, np.nan, 0.3]})
    assert "The first 2 of 3 rows." in page(data, rows=2)
    assert "<td>0.3</td>" in page(data)
    assert "NaN" not in page(data)[-3000:]
    assert "<details>" not in page(data.iloc[:0])


def test_the_figure_is_left_as_it_was() -> None:
    figure = heatmap_of(grid(np.full((2, 2), 0.7), "ab", "xy"), colour_title="M", row_title="R", column_title="C")
    before = figure.to_json()
    to_html(figure, "T", "C")
    assert figure.to_json() == before


def test_points_of_the_graphics_card_are_shapes_in_a_page() -> None:
    """Its policy forbids what WebGL needs: the figure would say that the browser has none."""
    figure = go.Figure([{"type": "scattergl", "x": np.arange(3.0), "y": [1, 2, 3]}, {"type": "scatter", "x": [1], "y": [2]}])
    figure.layout.template = "none"  # plotly's own names every kind
    text = to_html(figure, "T", "C")
    assert '"type":"scattergl"' not in text
    assert text.count('"type":"scatter"') == page().count('"type":"scatter"') + 2
    assert [trace.type for trace in figure.data] == ["scattergl", "scatter"]
