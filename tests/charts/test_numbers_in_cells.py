"""Numbers in cells: what is written, and that it can be read on its colour."""

from __future__ import annotations

import itertools
import math
import re
from typing import get_args

import numpy as np
import pytest

from isogloss.backend.charts.difference import difference_heatmap
from isogloss.backend.charts.grid import grid
from isogloss.backend.charts.heatmap import heatmap_of, pair_of_heatmaps
from isogloss.backend.charts.parts.readable import can_be_read, inks, luminance
from isogloss.backend.charts.parts.theme import Scale, colour_scale

TITLES = {"colour_title": "Score", "row_title": "Row", "column_title": "Column"}
WRITTEN = re.compile(r"<span style='color:(#\w{6})'>(.*)</span>")


def contrast(one: float, other: float) -> float:
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


def luminance_by_hand(red: float, green: float, blue: float) -> float:
    """As WCAG 2.2 defines relative luminance."""
    total = 0.0
    for value, weight in ((red, 0.2126), (green, 0.7152), (blue, 0.0722)):
        share = value / 255
        total += weight * (share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4)
    return total


def colour_at(share: float, scale: list[tuple[float, str]]) -> list[float]:
    for (low, first), (high, last) in itertools.pairwise(scale):
        if low <= share <= high:
            part = (share - low) / (high - low)
            ends = [[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in (first, last)]
            return [a + part * (b - a) for a, b in zip(*ends, strict=True)]
    raise AssertionError(share)


@pytest.mark.parametrize("name", get_args(Scale))
def test_every_number_can_be_read_on_its_cell(name: Scale) -> None:
    scale, values = colour_scale(name), np.linspace(-2, 6, 201)
    found = inks(values, (-2, 6), scale)
    for value, ink in zip(values, found, strict=True):
        drawn = luminance_by_hand(*colour_at(min(max((value + 2) / 8, 0), 1), scale))
        assert contrast(drawn, 1.0 if ink == "#FFFFFF" else 0.0) >= 4.5, (name, value)
    assert set(found) == {"#000000", "#FFFFFF"}


def test_luminance_is_that_of_the_standard() -> None:
    assert luminance([[255, 255, 255], [0, 0, 0]]).tolist() == pytest.approx([1, 0])
    assert luminance([31, 158, 137]) == pytest.approx(luminance_by_hand(31, 158, 137))


def test_values_beyond_the_ends_take_the_colours_of_the_ends() -> None:
    assert inks([-9.0, 9.0], (0, 1), colour_scale("viridis")).tolist() == ["#FFFFFF", "#000000"]


def test_numbers_are_the_values_and_missing_ones_are_empty() -> None:
    values = np.array([[0.51, 0.75, math.nan], [1.0, 0.9994, 0.9996]])
    trace = heatmap_of(grid(values, "ab", "cde"), **TITLES, show_values=True).data[0]
    written = [[WRITTEN.fullmatch(text) for text in row] for row in trace.text]
    assert [[match and match[2] for match in row] for row in written] == [["0.510", "0.750", ""], ["1.000", "0.999", "1.000"]]
    assert trace.texttemplate == "%{text}"
    assert written[0][0]
    assert written[0][0][1] == "#FFFFFF"
    assert written[1][0]
    assert written[1][0][1] == "#000000"
    assert heatmap_of(grid(values, "ab", "cde"), **TITLES).data[0].text is None


def test_both_panels_and_differences_are_written_on_their_own_colours() -> None:
    one, other = grid([[0.5, 1.0]], "a", "bc", title="One"), grid([[10.0, 20.0]], "a", "bc", title="Other")
    pair = pair_of_heatmaps(
        one,
        other,
        colour_titles=("Share", "Count"),
        row_title="Row",
        column_title="Column",
        shared_scale=False,
        chance=None,
        show_values=True,
    )
    for trace in (trace for trace in pair.data if trace.type == "heatmap"):
        assert [match[1] for match in map(WRITTEN.fullmatch, trace.text[0]) if match] == ["#FFFFFF", "#000000"]
    difference = difference_heatmap(one, grid([[1.0, 1.0]], "a", "bc"), first_name="1", second_name="2", **TITLES)
    assert [match[2] for match in map(WRITTEN.fullmatch, difference.data[0].text[0]) if match] == ["−0.500", "+0.000"]


@pytest.mark.parametrize(("columns", "longest"), [(3, 5), (14, 5), (18, 4), (24, 3), (30, 0)])
def test_numbers_are_written_where_they_fit(columns: int, longest: int) -> None:
    """Three decimals (always in 40 pixels), without the zero before the point, two, none: never smaller than 11 pixels."""
    names = [str(place) for place in range(columns)]
    trace = heatmap_of(grid(np.full((4, columns), 0.512), "abcd", names), **TITLES, show_values=True).data[0]
    if not longest:
        assert trace.text is None
        assert trace.texttemplate is None
        return
    assert {len(match[2]) for row in trace.text for match in map(WRITTEN.fullmatch, row) if match} == {longest}
    assert trace.textfont.size >= 11


def test_numbers_that_fit_a_wide_figure_are_told_from_those_that_fit_a_narrow_one() -> None:
    few, many = (grid(np.full((2, n), 0.123), ["a", "b"], [f"{i}" for i in range(n)]) for n in (5, 15))
    panels = {"colour_titles": ("A", "B"), "row_title": "", "column_title": ""}
    drawn = {
        "few": heatmap_of(few, **TITLES, show_values=True),
        "many": heatmap_of(many, **TITLES, show_values=True),
        "two panels": pair_of_heatmaps(few, few, **panels, show_values=True),
        "no numbers": heatmap_of(many, **TITLES),
    }
    assert all(can_be_read(figure, 1000.0) for figure in drawn.values())
    assert {name: can_be_read(figure, 300.0) for name, figure in drawn.items()} == {
        "few": True,
        "many": False,
        "two panels": False,
        "no numbers": True,
    }
