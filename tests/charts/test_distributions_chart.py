"""Outlines of distributions: shares, not counts; kinds without pairs are left out."""

from __future__ import annotations

import numpy as np
import pytest

from isogloss.backend.charts.distributions import counted, distributions

EDGES = np.linspace(-1, 1, 5)


def test_each_kind_is_its_shares() -> None:
    figure = distributions({"a": [0, 1, 3, 0], "none": [0, 0, 0, 0], "b": [0, 0, 0, 5]}, EDGES, x_title="x", y_title="y")
    assert [trace.name for trace in figure.data] == ["a", "b"]
    np.testing.assert_allclose(figure.data[0].y, [0, 0.25, 0.75, 0])
    np.testing.assert_allclose(figure.data[0].x, [-0.75, -0.25, 0.25, 0.75])
    assert "Pairs: 3" in figure.data[0].hovertext[2]
    assert figure.layout.xaxis.range == (-1, 1)
    with pytest.raises(ValueError, match="4 bins"):
        distributions({"a": [1, 2]}, EDGES, x_title="x", y_title="y")


def test_counts_have_every_value_once_with_means_and_chance() -> None:
    random = np.random.default_rng(3)
    values = {"POS": random.random(40), "NER": np.append(random.random(9), [1.0, 0.0, np.nan]), "none": [np.nan]}
    figure = counted(values, np.linspace(0, 1, 11), x_title="Win rate", y_title="Targets", chance=0.5)
    assert [sum(trace.y) for trace in figure.data] == [40, 11]
    for trace, own in zip(figure.data, values.values(), strict=False):
        own = np.asarray(own)[np.isfinite(own)]
        by_hand = [sum(low <= each < low + 0.1 or (low == 0.9 and each == 1) for each in own) for low in np.arange(10) / 10]
        assert np.allclose(trace.y, by_hand)
        assert f"mean {own.mean():.2f} ± {own.std(ddof=1):.2f}" in trace.name
    assert [shape.line.dash for shape in figure.layout.shapes] == ["dash", "dash", "dot"]
    nothing = counted({"a": []}, [0, 1], x_title="x", y_title="y")
    assert not nothing.data
