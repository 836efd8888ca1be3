"""Two sides and their difference with a row a group: means, Student's intervals and p corrected over all cells, by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from isogloss.backend.charts.parts.hatch import CORRECTED, cross
from isogloss.backend.experiments import compared
from isogloss.backend.experiments.compared import SIDE
from isogloss.backend.figures.abx_compare import difference, side_by_side
from isogloss.backend.figures.two_sides import Layout, order
from isogloss.backend.metrics.many_tests import benjamini_hochberg, p_of_intervals
from isogloss.backend.metrics.pair_groups import mean_of_group

TAGS = ["de", "en", "fi", "hu", "ja", "ru"]
GROUPS = {"Indo-European": ["en", "de", "ru"], "Japonic": ["ja"], "Uralic": ["fi", "hu"]}
SIDES = ("A", "B")


def rows() -> pd.DataFrame:
    draw = np.random.default_rng(4)
    return pd.DataFrame(
        [
            {
                SIDE: side,
                "checkpoint": side,
                "language": tag,
                "layer": layer,
                "value": value,
                "low": value - 0.05,
                "high": value + 0.05,
            }
            for place, side in enumerate(SIDES)
            for tag in TAGS
            for layer in (0, 1)
            for value in [float(0.6 + 0.2 * layer * (1 - place) + 0.02 * draw.normal())]
        ]
    )


def layout(opened: list[str] | None, *pinned: str) -> Layout:
    names, groups = order(rows(), TAGS, [0, 1], "family", pinned)
    columns = {0: "0", 1: "1"}
    return Layout("language", "layer", names, columns, "Language", "Layer", "top", groups, "family", opened, pinned)


def test_groups_of_both_sides_and_of_the_difference_are_means_over_their_languages() -> None:
    data = rows()
    both = side_by_side(data, metric="abx_meaning", sides=SIDES, layout=layout([]))
    values = {(row[SIDE], row["language"], row["layer"]): row["value"] for row in data.to_dict("records")}
    for side, trace in zip(SIDES, [each for each in both.data if each.type == "heatmap"], strict=True):
        expected = [[np.mean([values[side, tag, layer] for tag in own]) for layer in (0, 1)] for own in GROUPS.values()]
        np.testing.assert_allclose(np.asarray(trace.z, float), expected, atol=1e-6)
    found = compared.corrected(compared.difference(data, keys=["language", "layer"], names=SIDES))
    drawn = difference(found, metric="abx_meaning", sides=SIDES, layout=layout([]))
    cells = next(each for each in drawn.data if each.type == "heatmap")
    away = {(tag, layer): values["A", tag, layer] - values["B", tag, layer] for tag in TAGS for layer in (0, 1)}
    expected = [[np.mean([away[tag, layer] for tag in own]) for layer in (0, 1)] for own in GROUPS.values()]
    np.testing.assert_allclose(np.asarray(cells.z, float), expected, atol=1e-6)
    single = found[found["language"] == "ja"].sort_values("layer")
    every = np.array([[away[tag, layer] for layer in (0, 1)] for tag in TAGS])
    width = np.full(2, 0.1)  # of each language's difference, the widest of two of ± .05
    p = [mean_of_group(every, [TAGS.index(tag) for tag in own]).on_top(width).p.tolist() for own in GROUPS.values()]
    p[1] = p_of_intervals(single["difference"], single["low"], single["high"]).tolist()
    doubtful = benjamini_hochberg(np.array(p)) >= 0.05
    assert 0 < doubtful.sum() < doubtful.size
    hatch = next(each for each in drawn.data if each.name == CORRECTED)
    expected_cover = cross(doubtful, CORRECTED)
    assert expected_cover is not None
    assert (list(hatch.x), list(hatch.y)) == (list(expected_cover.x), list(expected_cover.y))


@pytest.mark.parametrize("opened", [None, [], ["Uralic"]])
def test_rows_of_both_figures_are_the_same(opened: list[str] | None) -> None:
    data, shape = rows(), layout(opened, "fi")
    both = side_by_side(data, metric="abx_meaning", sides=SIDES, layout=shape)
    found = compared.corrected(compared.difference(data, keys=["language", "layer"], names=SIDES))
    drawn = difference(found, metric="abx_meaning", sides=SIDES, layout=shape)
    names = list(drawn.layout.yaxis.ticktext)
    assert names == list(both.layout.yaxis.ticktext)
    assert names[0] == "Finnish"
    assert len(names) == {None: 6, (): 4, ("Uralic",): 5}[opened if opened is None else tuple(opened)]


def test_intervals_of_two_languages_end_where_differences_do() -> None:
    values = np.array([[0.3], [-0.2], [0.1], [0.0]])
    low, high, _ = compared.of_groups((values, values, values), np.ones((4, 1)), [[0, 1], [2]])
    assert (low.tolist(), high.tolist()) == ([[-1], [0.1]], [[1], [0.1]])


def test_groups_of_rows_from_before_there_were_intervals_are_drawn_without() -> None:
    found = compared.difference(rows(), keys=["language", "layer"], names=SIDES).drop(columns=["low", "high", "interval"])
    drawn = difference(found, metric="abx_meaning", sides=SIDES, layout=layout([]))
    assert [each.name for each in drawn.data if each.name == CORRECTED] == []
