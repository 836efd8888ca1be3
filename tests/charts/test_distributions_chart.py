"""Outlines of distributions: shares, not counts; kinds without pairs are left out."""

from __future__ import annotations

import numpy as np
import pytest

from backend.charts.distributions import distributions

EDGES = np.linspace(-1, 1, 5)


def test_each_kind_is_its_shares() -> None:
    figure = distributions({"a": [0, 1, 3, 0], "none": [0, 0, 0, 0], "b": [0, 0, 0, 5]}, EDGES, x_title="x", y_title="y")
    assert [trace.name for trace in figure.data] == ["a", "b"]
    np.testing.assert_allclose(figure.data[0].y, [0, 0.25, 0.75, 0])
    np.testing.assert_allclose(figure.data[0].x, [-0.75, -0.25, 0.25, 0.75])
    assert "Pairs: 3" in figure.data[0].hovertext[2]
    low, high = figure.layout.xaxis.range
    assert low == -1
    assert high == 1


def test_bins_must_fit_and_no_pairs_are_said() -> None:
    with pytest.raises(ValueError, match="4 bins"):
        distributions({"a": [1, 2]}, EDGES, x_title="x", y_title="y")
    figure = distributions({"a": [0, 0, 0, 0]}, EDGES, x_title="x", y_title="y")
    assert "no pairs" in str(figure.layout.annotations[0].text)


def test_names_are_escaped() -> None:
    figure = distributions({"<b>": [1, 0, 0, 0]}, EDGES, x_title="x", y_title="y")
    assert "<b>" not in str(figure.data[0].name)
