"""Estimate how long a run still takes, from the pace of its progress."""

from __future__ import annotations

from itertools import pairwise
from math import exp
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

Seen = tuple[float, float]
"""A moment (seconds since the epoch) and the share of the run done then (0 to 1)."""

WINDOW_SECONDS = 300.0
"""Older sightings say little: checkpoints found computed go by in no time, and other work may have shared the device."""
FEWEST_SECONDS = 3.0
FEWEST_DONE = 0.05
"""Of a run: what comes first (loading, the first pass) says little of the rest."""
SETTLING_SECONDS = 20.0
"""In so long what is said to be left comes by two thirds to what the pace says."""
STALLED_SECONDS = 60.0
STALLED_STEPS = 3.0
"""A run stands still where nothing was done for so long, and for so many times the longest pause before."""


def add_sighting(seen: Sequence[Seen], now: float, share: float) -> tuple[Seen, ...]:
    """Append a sighting to `seen`, and drop those that are older than the window or from before a restart."""
    kept = [(moment, done) for moment, done in seen if now - moment <= WINDOW_SECONDS and done <= share]
    return (*kept, (now, share))


def seconds_left(seen: Sequence[Seen]) -> float | None:
    """Seconds until the share is 1 at the pace between the first and the last sighting; None without a pace.

    A run that stands still (its worker was killed, for example) has no pace: the estimate would grow to days.
    """
    if len(seen) < 2:
        return None
    (first, before), (last, done) = seen[0], seen[-1]
    if last - first < FEWEST_SECONDS or done < FEWEST_DONE or done <= before or _stands_still(seen):
        return None
    return (1.0 - done) * (last - first) / (done - before)


def _stands_still(seen: Sequence[Seen]) -> bool:
    rises = [seen[0][0], *(moment for (_, before), (moment, done) in pairwise(seen) if done > before)]
    longest = max((later - earlier for earlier, later in pairwise(rises)), default=0.0)
    return seen[-1][0] - rises[-1] > max(STALLED_SECONDS, STALLED_STEPS * longest)


def smoothed(before: Seen | None, now: float, left: float | None) -> Seen | None:
    """Return what to say is left, and when: what was said `before`, counted down, drawn towards what the pace says now.

    A pace of a run whose progress moves in jumps is noise from look to look; what was said wrong is mended in a minute or so.
    """
    if left is None:
        return None
    if before is None:
        return now, left
    moment, said = before
    weight = 1 - exp(-max(0.0, now - moment) / SETTLING_SECONDS)
    counted = max(0.0, said - (now - moment))
    return now, counted + weight * (left - counted)
