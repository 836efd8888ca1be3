"""Names at the ends of many lines: none covers another, each as near to its line as that allows."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.charts.curves import curves
from isogloss.backend.charts.parts.end_labels import spread, without_common_end

PLACES = st.lists(st.floats(0, 1).map(lambda place: round(place, 3)), min_size=1, max_size=8)


@given(PLACES, st.floats(0.01, 0.1))
def test_names_stand_a_gap_apart_in_the_order_of_their_lines(wanted: list[float], gap: float) -> None:
    found = spread(wanted, gap, 0.0, 1.0)
    order = np.argsort(wanted, kind="stable")
    ordered = np.array(found)[order]
    assert (np.diff(ordered) >= gap - 1e-9).all()
    assert ordered[0] >= -1e-9
    assert ordered[-1] <= 1 + 1e-9
    apart = np.diff(np.array(wanted)[order])
    if len(wanted) == 1 or (apart >= gap).all():
        assert found == pytest.approx(wanted)


@given(st.lists(st.integers(0, 12), min_size=2, max_size=4))
def test_no_other_places_are_nearer_to_the_lines(wanted: list[int]) -> None:
    """Of all places on a grid that are three apart, none has a smaller sum of squares."""
    found = spread([float(place) for place in wanted], 3.0, -100.0, 100.0)
    own = sum((place - line) ** 2 for place, line in zip(found, wanted, strict=True))
    order = np.argsort(wanted, kind="stable")
    for places in itertools.combinations_with_replacement(np.arange(-6, 19).tolist(), len(wanted)):
        if all(b - a >= 3 for a, b in itertools.pairwise(places)):
            assert own <= sum((place - wanted[line]) ** 2 for place, line in zip(places, order, strict=True)) + 1e-9


def test_more_than_fit_stand_a_gap_apart() -> None:
    assert spread([0.5, 0.5, 0.1], 1.0, 0.0, 1.0) == [1.0, 2.0, 0.0]


def rows(models: int) -> pd.DataFrame:
    own = {"layer": [0, 1, 2], "low": 0.4, "high": 0.9}
    parts = [pd.DataFrame(own | {"model": f"m{place}", "value": [0.6, 0.7, 0.5 + place / 100]}) for place in range(models)]
    return pd.concat(parts, ignore_index=True)


def test_twelve_models_are_named_at_their_ends_and_have_no_bands() -> None:
    many = rows(12)
    many.loc[2, "value"] = np.nan  # the first ends at layer 1
    figure = curves(many, x="layer", value_title="Score")
    names = [note for note in figure.layout.annotations if note.axref == "x"]
    assert [note.text for note in names] == [f"m{place}" for place in range(12)]
    assert (names[0].x, names[0].y) == (1, pytest.approx(0.7))
    assert (names[5].x, names[5].y) == (2, pytest.approx(0.55))
    assert [note.font.color for note in names] == [trace.line.color for trace in figure.data]
    assert len(figure.data) == 12
    assert not any(trace.showlegend for trace in figure.data)
    assert "95% interval: 0.400 to 0.900" in figure.data[3].hovertext[0]
    low, high = figure.layout.yaxis.range
    assert low < 0.5 < 0.7 < high
    tails = sorted(note.ay for note in names)
    assert min(np.diff(tails)) > 0


def test_seven_models_have_a_legend_and_bands() -> None:
    figure = curves(rows(7), x="layer", value_title="Score")
    assert len(figure.data) == 14
    assert not any(note.axref == "x" for note in figure.layout.annotations)
    assert sum(bool(trace.showlegend) for trace in figure.data) == 7


def test_what_all_names_end_with_takes_no_room() -> None:
    assert without_common_end(["A · step2000", "B · x · step2000"]) == ["A", "B · x"]
    for names in (["A · step1", "B · step2"], ["A · step1"], ["A", "B"], ["A · step1", "B"], []):
        assert without_common_end(names) == names


def test_a_name_says_whose_line_it_is() -> None:
    rows = pd.DataFrame([{"model": f"M{n}", "step": step, "value": 0.5 + n / 100} for n in range(9) for step in (0, 1)])
    drawn = curves(rows, x="step", value_title="Score")
    groups = {trace.legendgroup for trace in drawn.data}
    assert {each.name for each in drawn.layout.annotations if each.name} == groups
    assert len(groups) == 9
