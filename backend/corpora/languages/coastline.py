"""The outlines of the land, for maps of languages: Natural Earth 1:110 m, whose data are in the public domain.

`coastline.txt` holds them without Antarctica, cut where the edge of the maps lies, in a form of our own.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

FILE = Path(__file__).with_name("coastline.txt")
PARTS = 10
"""Of a degree, in which the file counts."""


@lru_cache(maxsize=1)
def coastline() -> tuple[NDArray[np.float64], ...]:
    """Return the outlines, the longest first: (longitude, latitude) in degrees `[points, 2]`, the first point at the end again.

    Longitudes run from −169 to 191: no outline crosses the edge of a map whose middle is 11° east.
    """
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return tuple(_ring(line) for line in lines if not line.startswith("#"))


def _ring(line: str) -> NDArray[np.float64]:
    steps = np.array([[int(part) for part in point.split(",")] for point in line.split()])
    places = np.cumsum(steps, axis=0) / PARTS
    return np.vstack([places, places[:1]])
