import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.charts.parts.axes import broken_at, category_axis, step_axis, step_positions, thin

STEPS = [0, 5000, 10000, 50000, 100000, 1_500_000]


@given(st.integers(1, 400), st.integers(0, 60))
def test_thinned_places_keep_both_ends_and_the_limit(n: int, most: int) -> None:
    places = thin(n, most)
    assert places[0] == 0
    assert places == sorted(set(places))
    assert len(places) <= max(most, 1)
    if most >= 2:
        assert places[-1] == n - 1


def test_few_places_all_stay() -> None:
    assert thin(5, 10) == [0, 1, 2, 3, 4]
    assert thin(0, 5) == []


def test_linear_positions_are_the_steps() -> None:
    assert step_positions(STEPS, "linear") == STEPS


def test_step_zero_has_a_slot_of_its_own_on_a_logarithmic_axis() -> None:
    places = step_positions(STEPS, "log")
    assert all(a < b for a, b in pairwise(places))
    assert places[1:] == [math.log10(step) for step in STEPS[1:]]
    between = broken_at(STEPS, "log")
    assert between is not None
    assert places[0] < between < places[1]
    assert broken_at(STEPS[1:], "log") is None
    assert broken_at(STEPS, "linear") is None


@pytest.mark.parametrize("steps", [[0], [0, 0], [7], [0, 7], [1, 2]])
@pytest.mark.parametrize("axis", ["linear", "log"])
def test_short_axes(steps: list[int], axis: str) -> None:
    places = step_positions(steps, axis)  # type: ignore[arg-type]
    assert all(math.isfinite(place) for place in places)
    assert step_axis(steps, axis, "Step")["ticktext"]  # type: ignore[arg-type]


@given(st.lists(st.integers(0, 10**7), min_size=1, max_size=80, unique=True), st.sampled_from(["linear", "log"]))
def test_tick_labels_never_collide(steps: list[int], axis: str) -> None:
    settings = step_axis(steps, axis, "Step")  # type: ignore[arg-type]
    places = settings["tickvals"]
    span = max(step_positions(steps, axis)) - min(step_positions(steps, axis)) or 1.0  # type: ignore[arg-type]
    assert all((b - a) / span * 1000 >= 16 for a, b in pairwise(places))
    assert set(places) <= set(step_positions(sorted(steps), axis))  # type: ignore[arg-type]
    assert "0" in settings["ticktext"] or 0 not in steps


def test_round_steps_are_labelled_first() -> None:
    labels = step_axis(range(0, 1_000_001, 10_000), "linear", "Step")["ticktext"]
    assert labels[0] == "0"
    assert labels[-1] == "1M"
    assert "500k" in labels


def test_category_labels_are_escaped_and_thinned() -> None:
    axis = category_axis(["<b>a</b>", "c"], "<i>t</i>", pixels=1000, horizontal=True)
    assert axis["ticktext"][0] == "&lt;b&gt;a&lt;/b&gt;"
    assert axis["title"]["text"] == "&lt;i&gt;t&lt;/i&gt;"
    assert len(category_axis(["1.45M"] * 39, "Step", pixels=480, horizontal=True)["tickvals"]) <= 12
    assert category_axis([], "Step", pixels=480, horizontal=True)["tickvals"] == []


def test_turned_labels_do_not_lie_on_one_another_in_a_narrow_window() -> None:
    labels = [f"Language number {place}" for place in range(28)]
    wide = category_axis(labels, "", pixels=485.0, horizontal=True)
    narrow = category_axis(labels, "", pixels=485.0, horizontal=True, at_least=270.0)
    assert wide["tickangle"] == narrow["tickangle"] == -90
    assert len(wide["tickvals"]) == 28
    assert 270.0 / len(narrow["tickvals"]) >= 13
    assert (narrow["tickvals"][0], narrow["tickvals"][-1]) == (0, 27)
