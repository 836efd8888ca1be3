"""Stacked bars in panels: each where it belongs, and however many there are no name lies under the next panel's heading."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from isogloss.backend.charts.stacked import BARS, stacked_bars

PARTS = {"one": "One", "two": "Two"}
LETTER = 6.0
"""Pixels of a letter of a bar's name, less than a browser draws."""


def drawn(panels: int, names: list[str]):
    rows = [
        {"panel": f"Panel {place}", "bar": name, "one": place / 10, "two": at / 1000}
        for place in range(panels)
        for at, name in enumerate(names)
    ]
    return stacked_bars(pd.DataFrame(rows), parts=PARTS, total="Sum", y_title="Error (%)", bars=names)


@pytest.mark.parametrize("amount", [2, BARS, 204])
@pytest.mark.parametrize("panels", [1, 2, 5])
def test_names_of_bars_end_above_the_heading_below_them(amount: int, panels: int) -> None:
    names = [f"{at:03d}-Arab"[: 3 + 5 * (at % 7 == 0)] for at in range(amount)]
    figure = drawn(panels, names)
    layout = figure.layout
    plot = layout.height - layout.margin.t - layout.margin.b
    bottoms, tops = (sorted({layout[f"yaxis{at + 1 if at else ''}"].domain[end] for at in range(panels)}) for end in (0, 1))
    turned = max(map(len, names)) * LETTER if amount > BARS else 16
    for bottom, top in zip(bottoms[1:], tops[:-1], strict=True):
        assert (bottom - top) * plot >= turned + 16
    assert all((top - bottom) * plot > 120 for bottom, top in zip(bottoms, tops, strict=True))


@pytest.mark.parametrize("amount", [3, 204])
def test_marks_stand_at_the_sums_and_beside_one_another(amount: int) -> None:
    figure = drawn(2, [f"b{at}" for at in range(amount)])
    marks = [trace for trace in figure.data if trace.type == "scatter"]
    assert len(marks) == 2
    for panel, trace in enumerate(marks):
        assert trace.y == pytest.approx([100 * (panel / 10 + at / 1000) for at in range(amount)], abs=1e-4)
        assert trace.marker.size == 9 if amount == 3 else trace.marker.size < 5
    assert np.allclose([trace.y[1] for trace in figure.data if trace.type == "bar"], [0, 0.1, 10, 0.1])
