"""Where languages stand on a map, and how much of the map is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.charts.world.equal_earth import equal_earth, on_the_map
from isogloss.backend.charts.world.spread import spread

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

WIDTH, TALLEST = 720.0, 410.0
"""Pixels of the map's width on a 1280-pixel screen, of its height at most."""
LEAST = 0.7
"""Of the map's width of 5.4 that is shown at least, however near languages lie."""
TOP, BOTTOM, SIDE = 1.33, -1.1, 2.8
"""The map's coordinates beyond which there is nothing to see."""


@dataclass(frozen=True)
class Sites:
    """Where languages are drawn, by their tags: degrees, the map's coordinates, and who else has the same place."""

    tags: tuple[str, ...]
    longitude: Floats
    latitude: Floats
    x: Floats
    y: Floats
    shared: list[list[int]]


def sites_of(own: pd.DataFrame) -> Sites:
    """Return where the languages of rows (source, latitude, longitude) are drawn, those with a known place, by tag."""
    placed = own.dropna(subset=["latitude", "longitude"]).drop_duplicates("source").sort_values("source")
    longitude, latitude, shared = spread(*(placed[name].to_numpy(np.float64) for name in ("longitude", "latitude")))
    return Sites(tuple(placed["source"]), longitude, latitude, *equal_earth(on_the_map(longitude), latitude), shared)


@dataclass(frozen=True)
class View:
    """What of the map is shown: the ends of both axes, and its height in pixels."""

    x: tuple[float, float]
    y: tuple[float, float]
    height: float

    @property
    def pixels(self) -> float:
        """Return the pixels of a unit."""
        return WIDTH / (self.x[1] - self.x[0])


def view_of(sites: Sites) -> View:
    """Return what shows all languages with some land around them, as large as there is room."""
    spans = [np.ptp(values) * 1.15 + 0.15 for values in (sites.x, sites.y)]
    across = float(min(max(spans[0], spans[1] * WIDTH / TALLEST, LEAST), 2 * SIDE))
    height = float(np.clip((TOP - BOTTOM) * WIDTH / across, 0, TALLEST))
    x, y = (float(values.min() + values.max()) / 2 for values in (sites.x, sites.y))
    half = across / 2, across * height / WIDTH / 2
    x, y = float(np.clip(x, half[0] - SIDE, SIDE - half[0])), float(np.clip(y, BOTTOM + half[1], TOP - half[1]))
    return View((x - half[0], x + half[0]), (y - half[1], y + half[1]), height)
