"""The time that is left, from the pace that was seen."""

from __future__ import annotations

import pytest

from isogloss.backend.jobs import pace


def test_steady_pace() -> None:
    seen: tuple[pace.Seen, ...] = ()
    for second in range(11):
        seen = pace.add_sighting(seen, 1000.0 + second, 0.02 * second)
    assert pace.seconds_left(seen) == pytest.approx(40.0)


@pytest.mark.parametrize(
    "seen", [(), ((0.0, 0.1),), ((0.0, 0.1), (1.0, 0.2)), ((0.0, 0.1), (60.0, 0.1)), ((0.0, 0.0), (60.0, 0.04))]
)
def test_nothing_is_said_before_a_pace_is_seen(seen: tuple[pace.Seen, ...]) -> None:
    assert pace.seconds_left(seen) is None


def test_old_sightings_and_those_before_a_restart_are_dropped() -> None:
    seen = ((0.0, 0.1), (500.0, 0.5), (510.0, 0.9))
    assert pace.add_sighting(seen, 520.0, 0.6) == ((500.0, 0.5), (520.0, 0.6))


def test_a_run_that_stands_still_has_no_pace() -> None:
    """As seen each second while it goes a hundredth in two seconds, and after its worker was killed."""
    seen = tuple((float(second), 0.01 * (second // 2)) for second in range(21))
    assert pace.seconds_left(seen) == pytest.approx(180.0)
    still = tuple((float(second), 0.1) for second in range(21, 80))
    assert pace.seconds_left(seen + still) is not None
    assert pace.seconds_left((*seen, *still, (81.0, 0.1))) is None
    assert pace.seconds_left((*seen, *still, (81.0, 0.1), (82.0, 0.11))) is not None


def test_a_run_of_long_pieces_does_not_stand_still_between_them() -> None:
    seen = ((0.0, 0.0), (50.0, 0.1), (100.0, 0.2), (240.0, 0.2))
    assert pace.seconds_left(seen) == pytest.approx(960.0)
    assert pace.seconds_left((*seen, (251.0, 0.2))) is None


def test_the_time_left_counts_down_and_comes_to_the_pace_without_jumping() -> None:
    """A fake clock: the pace says ten hours, then, of the same run, two and a half, then noise about that."""
    said, shown = None, []
    for second in range(300):
        truth = 9000.0 - second
        pace_says = 36_000.0 if second < 5 else truth * (0.7 if second % 2 else 1.3)
        before = said
        said = pace.smoothed(said, float(second), pace_says)
        assert said is not None
        if before is not None:
            assert abs(said[1] - before[1]) < 0.06 * max(before[1], pace_says)  # no look differs by much from the one before
        shown.append(said[1] / truth)
    assert shown[0] > 3.9
    assert all(0.85 < share < 1.25 for share in shown[100:])
    assert pace.smoothed(said, 301.0, None) is None
    assert pace.smoothed((0.0, 10.0), 0.0, 5.0) == (0.0, 10.0)
