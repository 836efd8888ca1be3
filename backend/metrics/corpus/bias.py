"""By how much the plug-in estimate of an entropy is too low, and from how many observations on that hardly matters."""

from __future__ import annotations

import math

ENOUGH = 5
"""Observations for each different thing seen: of equal shares, the corrected entropy is then within 0.02 bits of the true."""
LEAST = 0.1
"""Bits by which an entropy may be too low and still be trusted."""


def miller_madow(distinct: int, observed: int) -> float:
    """Return what the Miller–Madow correction adds to the plug-in entropy, in bits: (K − 1) / (2 N ln 2).

    `distinct` is K, the different things among the N `observed`; nan where nothing was observed. The correction is of first
    order, and K leaves out what was never seen: where N is few times K the sum is still too low. Source: Miller 1955.
    """
    return (distinct - 1) / (2 * observed * math.log(2)) if observed else math.nan


def is_enough(distinct: int, observed: int) -> bool:
    """Return whether there are at least `ENOUGH` observations for each different thing among them."""
    return observed >= ENOUGH * max(distinct, 1)


def longest_trusted(types: int, utterances: list[int]) -> int:
    """Return up to which position, from 1, plug-in entropies are too low by `LEAST` bits at most; 0 where none is.

    `utterances` are those that reach each position. At each at most `types` symbols differ, or as many as there are utterances.
    """
    for position, observed in enumerate(utterances):
        if miller_madow(min(types, observed), observed) > LEAST:
            return position
    return len(utterances)
