"""Places that several languages share, drawn apart."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

APART = 2.0
"""Degrees of the sphere between neighbours: so far their marks are seen as two on a map of the world."""


def spread(longitude: Floats, latitude: Floats) -> tuple[Floats, Floats, list[list[int]]]:
    """Return where marks are drawn, degrees in and out, and for each which others share its place (to 0.01°).

    A mark alone stays where it is. Others stand on a circle around their place, neighbours `APART`, the first in the west, in
    their order, so that equal input is drawn alike.
    """
    places: dict[tuple[float, float], list[int]] = defaultdict(list)
    for number, (east, north) in enumerate(zip(longitude.tolist(), latitude.tolist(), strict=True)):
        places[round(east, 2), round(north, 2)].append(number)
    x, y, shared = longitude.copy(), latitude.copy(), [[] for _ in longitude]  # type: tuple[Floats, Floats, list[list[int]]]
    for members in places.values():
        if len(members) == 1:
            continue
        angle = np.pi - 2 * np.pi * np.arange(len(members)) / len(members)
        radius = APART / 2 / np.sin(np.pi / len(members))
        y[members] = np.clip(latitude[members] + radius * np.sin(angle), -89, 89)
        x[members] = longitude[members] + radius * np.cos(angle) / np.cos(np.radians(y[members]))
        for one in members:
            shared[one] = [other for other in members if other != one]
    return x, y, shared
