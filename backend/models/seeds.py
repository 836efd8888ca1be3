"""Which models are seeds of one: trainings that differ in nothing but their random numbers, as their names tell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

SEED = re.compile(r"(?<![a-z])seed[\s_=:#.-]*(\d+)(?![a-z0-9])", re.IGNORECASE)
"""As in `multiberts-seed_0`, `pythia-14m-seed3`, `Mine (seed 5)`."""
APART = " _-./:@,("
"""What may stand between the rest of a name and its seed."""


def seed_of(name: str) -> tuple[str, int] | None:
    """Return what a name is without its seed, and the seed; None where it tells none."""
    told = SEED.search(name)
    if told is None:
        return None
    before = name[: told.start()].rstrip(APART)
    after = name[told.end() :].lstrip(f"{APART})")
    between = name[len(before) : told.start()][:1].replace("(", " ")
    return f"{before}{between}{after}" if before and after else before + after, int(told[1])


def seeds_of(names: Iterable[str]) -> dict[str, str]:
    """Return those of the names that differ in their seed alone, each with what they are called together.

    That is the name without a seed; where it is another model's, ` (seeds)` is added to it. One seed is a model like any other.
    """
    every = list(dict.fromkeys(names))
    told = {name: found for name in every if (found := seed_of(name)) is not None}
    together: dict[str, list[str]] = {}
    for name, (rest, _) in told.items():
        together.setdefault(rest, []).append(name)
    several = {rest: own for rest, own in together.items() if len({told[name][1] for name in own}) > 1}
    called = {rest: f"{rest} (seeds)" if not rest or rest in every else rest for rest in several}
    return {name: called[rest].strip() for rest, own in several.items() for name in own}
