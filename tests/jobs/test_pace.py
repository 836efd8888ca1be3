"""The time that is left, from the pace that was seen."""

from __future__ import annotations

import pytest

from backend.jobs import pace


def test_steady_pace() -> None:
    seen: tuple[pace.Seen, ...] = ()
    for second in range(11):
        seen = pace.sighted(seen, 1000.0 + second, 0.02 * second)
    assert pace.seconds_left(seen) == pytest.approx(40.0)


@pytest.mark.parametrize("seen", [(), ((0.0, 0.1),), ((0.0, 0.1), (1.0, 0.2)), ((0.0, 0.1), (60.0, 0.1))])
def test_nothing_is_said_before_a_pace_is_seen(seen: tuple[pace.Seen, ...]) -> None:
    assert pace.seconds_left(seen) is None


def test_old_sightings_and_those_before_a_restart_are_dropped() -> None:
    seen = ((0.0, 0.1), (500.0, 0.5), (510.0, 0.9))
    assert pace.sighted(seen, 520.0, 0.6) == ((500.0, 0.5), (520.0, 0.6))
