"""Scores in 16 bits, as text that a script can hold: a browser draws them, and reads three decimals off them (fewer if wide).

A code stands for a number between the ends of its scale; one is kept for "not computed". A bound of an interval is read and
never drawn: it is kept as it reads, and by how far it is from its score, in half the space. The bytes are deflated, all low
ones before all high ones, which are much alike.
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
HALF = 1e-6
"""Units of the last decimal within which a number may lie half-way: it is then read as it is written."""
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
        return min(DECIMALS, floor(-log10((self.high - self.low) / (LEVELS - 2))))

    @property
    def units(self) -> tuple[int, float]:
        """The low end in units of the last decimal, and how many of them a code is."""
        return floor(self.low * 10.0**self.decimals), 10.0**self.decimals * (self.high - self.low) / LEVELS

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


def bounds(low: NDArray[Any], high: NDArray[Any], value: NDArray[np.uint16], scale: Scale) -> NDArray[np.uint16]:
    """Return how far below a score its low bound reads, and how far above it its high one [2, ...].

    In units of the last decimal, modulo `MISSING`, which stands for one that is not there. A score is where its code (`value`)
    lies among these, 0 where it is missing.
    """
    own = np.where(value == MISSING, 0.0, np.floor(value.astype(np.float64) * scale.units[1] + 0.5))
    apart = []
    for bound, sign in ((low, -1), (high, 1)):
        known = np.isfinite(np.asarray(bound, np.float32))
        away = np.mod(sign * (_as_read(bound, scale) - own), MISSING)
        apart.append(np.where(known, away, MISSING).astype(np.uint16))
    return np.stack(apart)


def _as_read(numbers: NDArray[Any], scale: Scale) -> NDArray[np.float64]:
    """Return numbers as people read them, in units of the last decimal above the scale's low end; 0 of what is not finite."""
    unit = 10.0**scale.decimals
    exact = np.asarray(numbers, np.float32).astype(np.float64)  # as figures have them
    places = np.where(np.isfinite(exact), exact, 0.0) * unit
    found = np.rint(places)
    for at in zip(*np.nonzero(np.abs(places - np.floor(places) - 0.5) < HALF), strict=True):
        found[at] = round(float(scale.read(exact[at])) * unit)
    return np.where(np.isfinite(exact), found - scale.units[0], 0.0)


def _value(code: Any, scale: Scale) -> Any:
    return scale.low + code * (scale.high - scale.low) / LEVELS  # in the order of atlas.js: the same number there


def packed(found: NDArray[np.uint16]) -> str:
    """Return 16-bit numbers of any shape, in their order, as base64 of what zlib makes of their bytes."""
    pairs = np.ascontiguousarray(found, "<u2").reshape(-1, 1).view(np.uint8)
    return deflated(np.ascontiguousarray(pairs.T).tobytes())


def deflated(content: bytes) -> str:
    """Return bytes as a script holds them: base64 of what zlib makes of them."""
    return base64.b64encode(zlib.compress(content, 9)).decode("ascii")
