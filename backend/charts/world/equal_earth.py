"""The Equal Earth projection (Šavrič, Patterson & Jenny 2018), in which equal areas of the earth are equal areas of the map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

MIDDLE = 11.0
"""The longitude in the middle of the map, in degrees: its edge, 169° west, runs through the Bering Strait and cuts no land."""
A1, A2, A3, A4 = 1.340264, -0.081106, 0.000893, 0.003796
"""The polynomial's coefficients."""


def equal_earth(longitude: ArrayLike, latitude: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Project degrees to the map of a sphere of radius 1: x from −2.71 to 2.71, y from −1.32 to 1.32; nan stays nan.

    Longitudes are those of `on_the_map`, −169 (the left edge) to 191 (the right one).
    """
    theta = np.arcsin(np.sqrt(3) / 2 * np.sin(np.radians(np.asarray(latitude, np.float64))))
    slope = A1 + 3 * A2 * theta**2 + theta**6 * (7 * A3 + 9 * A4 * theta**2)
    east = np.radians(np.asarray(longitude, np.float64) - MIDDLE)
    x = 2 * np.sqrt(3) * east * np.cos(theta) / (3 * slope)
    return x, theta * (A1 + A2 * theta**2 + theta**6 * (A3 + A4 * theta**2))


def on_the_map(longitude: ArrayLike) -> NDArray[np.float64]:
    """Return longitudes, in degrees however they are counted, as the map has them: from −169 on, below 191."""
    edge = MIDDLE - 180
    return np.asarray((np.asarray(longitude, np.float64) - edge) % 360 + edge)
