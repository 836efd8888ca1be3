"""Bars in groups: every row where it belongs, in percent; what is missing has no bar."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from isogloss.backend.charts.bars import LABELLED, PATTERNS, grouped_bars
from isogloss.backend.charts.parts.theme import COLOURS

ROWS = pd.DataFrame(
    [("IGap", "de", 0.75, 14), ("L2", "de", 0.5, 14), ("L2", "zh", math.nan, 1), ("IGap", "average", 0.605, 28)],
    columns=["score", "language", "value", "directions"],
)
BARS = {"group": "language", "kind": "score", "value_title": "Accuracy (percent)"}


def test_each_row_is_a_bar_in_percent_in_the_place_of_its_group() -> None:
    figure = grouped_bars(
        ROWS, **BARS, groups=["zh", "de", "average"], names={"de": "German"}, n="directions", n_title="Directions"
    )
    assert list(figure.layout.xaxis.ticktext) == ["zh", "German", "average"]
    igap, l2 = figure.data
    assert (igap.name, l2.name) == ("IGap", "L2")
    np.testing.assert_allclose(igap.y, [np.nan, 75, 60.5])
    np.testing.assert_allclose(l2.y, [np.nan, 50, np.nan])
    assert list(igap.text) == ["", "75.0", "60.5"]
    assert igap.hovertext[1] == "German<br>IGap<br>Accuracy: <b>75.0</b><br>Directions: 14"
    assert "Directions" not in l2.hovertext[2]
    assert figure.layout.shapes[0].y0 == 50  # chance


def test_colour_and_pattern_belong_to_the_kind() -> None:
    alone = grouped_bars(ROWS[ROWS["score"] == "L2"], **BARS, colours={"L2": COLOURS[3]}, chance=None)
    assert alone.data[0].marker.color == COLOURS[3]
    assert not alone.layout.shapes
    both = grouped_bars(ROWS, **BARS)
    assert [trace.marker.pattern.shape for trace in both.data] == list(PATTERNS[:2])
    assert both.data[0].marker.color != both.data[1].marker.color
    with pytest.raises(ValueError, match="more than one bar"):
        grouped_bars(pd.concat([ROWS, ROWS]), **BARS)


def test_many_bars_carry_no_numbers() -> None:
    rows = pd.DataFrame({"language": [str(i) for i in range(LABELLED + 1)], "score": "x", "value": 0.5})
    assert grouped_bars(rows, **BARS).data[0].text is None
    assert grouped_bars(rows[1:], **BARS).data[0].text is not None
