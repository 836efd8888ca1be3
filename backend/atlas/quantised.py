"""Scores in 16 bits, as text that a script can hold: a browser draws them, and reads three decimals off them (fewer if wide).

A code stands for a number between the ends of its scale; one is kept for "not computed". The bytes are deflated, all low ones
before all high ones, which are much alike.
"""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass
from math import floor, log10
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

LEVELS = 65_534
"""The greatest code of a number."""
MISSING = 65_535
DECIMALS = 3
"""As people read a score, unless its scale is too wide for that."""


@dataclass(frozen=True)
class Scale:
    """What the least and the greatest code stand for."""

    low: float = 0.0
    high: float = 1.0

    @property
    def step(self) -> float:
        """The distance of neighbouring codes."""
        return (self.high - self.low) / LEVELS

    @property
    def decimals(self) -> int:
        """How many decimals codes can tell apart, at most `DECIMALS`; −2: hundreds."""
        return min(DECIMALS, floor(-log10(self.step)))

    def read(self, value: float) -> str:
        """Write a number as people read it."""
        return f"{value:.{self.decimals}f}" if self.decimals >= 0 else f"{round(float(value), self.decimals):.0f}"


def scale_of(ends: Iterable[float]) -> Scale:
    """Return the scale of scores between these ends: 0 to 1 where that holds them, as shares do."""
    known = [end for end in ends if np.isfinite(end)]
    low, high = min(known, default=0.0), max(known, default=1.0)
    return Scale() if low >= 0 and high <= 1 else Scale(low, high if high > low else low + 1)


def codes(values: NDArray[Any], scale: Scale) -> NDArray[np.uint16]:
    """Return the code of each value, `MISSING` of what is not finite.

    It is the nearest, at most half a step away, or the one beside it where only that reads the same in the decimals shown: a
    site and the dashboard never print two numbers for one score.
    """
    exact = np.asarray(values, np.float32).astype(np.float64)  # as figures have them
    known = np.isfinite(exact)
    places = np.where(known, (exact - scale.low) / scale.step, 0.0)
    found = np.clip(np.rint(places), 0, LEVELS)
    unit = 10.0**scale.decimals
    units = np.where(known, exact * unit, 0.0)
    near = known & (np.abs(units - np.floor(units) - 0.5) <= unit * scale.step)
    for at in zip(*np.nonzero(near), strict=True):
        read = scale.read(exact[at])
        beside = (found[at], *sorted((found[at] - 1, found[at] + 1), key=lambda code: abs(code - places[at])))
        found[at] = next((c for c in beside if 0 <= c <= LEVELS and scale.read(_value(c, scale)) == read), found[at])
    return np.where(known, found, MISSING).astype(np.uint16)


def _value(code: Any, scale: Scale) -> Any:
    return scale.low + code * (scale.high - scale.low) / LEVELS  # in the order of atlas.js: the same number there


def packed(found: NDArray[np.uint16]) -> str:
    """Return 16-bit numbers of any shape, in their order, as base64 of what zlib makes of their bytes."""
    pairs = np.ascontiguousarray(found, "<u2").reshape(-1, 1).view(np.uint8)
    return base64.b64encode(zlib.compress(np.ascontiguousarray(pairs.T).tobytes(), 9)).decode("ascii")
