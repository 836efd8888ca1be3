"""How far a training is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """Where a run is: told after every step."""

    step: int
    steps: int
    """At most: some runs may stop before."""
