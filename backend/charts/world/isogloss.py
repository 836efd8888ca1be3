"""The isogloss: the line on a map between places of one group and places of another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

RADIUS = 6371.0
"""Of the earth, in km."""
REACH, FURTHEST = 2000.0, 5000.0
"""How far from its nearest place the line is drawn, in km: further away no place says anything. The first, or more where a
place is so far from all others that no line would part it from them: 1/√2 of that distance, up to the second."""
STEP = 50.0
"""Kilometres between the points of an arc at most."""


def isogloss(longitude: ArrayLike, latitude: ArrayLike, groups: ArrayLike) -> tuple[Floats, Floats]:
    """Return where on the sphere the nearest place changes its group: longitude and latitude in degrees, nan between arcs.

    These are the edges of the places' Voronoi diagram on the sphere between places of different `groups` (numbers; places of 0
    are in none and left out), as far as `reach_of` says. Raises ValueError where two places of different groups are the same.
    """
    kept = np.asarray(groups) > 0
    own = np.asarray(groups)[kept]
    places = _on_sphere(np.asarray(longitude, np.float64)[kept], np.asarray(latitude, np.float64)[kept])
    reach = reach_of(places) / RADIUS
    near = places @ places.T > np.cos(2 * reach)
    edges = []
    for first in range(len(places)):
        others = np.flatnonzero(near[first] & (np.arange(len(own)) > first) & (own != own[first]))
        rivals = np.flatnonzero(near[first] & (np.arange(len(own)) != first))
        if len(others):
            edges.append(_edges(places[first], places[others], places[rivals], others[:, None] == rivals, reach))
    points = _points(*map(np.concatenate, zip(*edges, strict=True))) if edges else np.zeros((0, 3))
    x, y, z = points[:-1].T
    return np.degrees(np.arctan2(y, x)), np.degrees(np.arcsin(np.clip(z, -1, 1)))


def reach_of(places: Floats) -> float:
    """Return how far from its nearest place a line between `places` (unit vectors `[places, 3]`) is drawn, in km."""
    if len(places) < 2:
        return REACH
    cosines = np.clip(places @ places.T, -1, 1)
    np.fill_diagonal(cosines, -1)
    alone = float(np.arccos(cosines.max(axis=1)).max()) * RADIUS
    return min(max(REACH, alone / 2**0.5), FURTHEST)


def _on_sphere(longitude: Floats, latitude: Floats) -> Floats:
    east, north = np.radians(longitude), np.radians(latitude)
    return np.stack([np.cos(north) * np.cos(east), np.cos(north) * np.sin(east), np.sin(north)], axis=-1)


def _edges(
    place: Floats, others: Floats, rivals: Floats, same: NDArray[np.bool_], reach: float
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the edges between `place` and each of `others` `[others, 3]` that none of `rivals` `[rivals, 3]` is nearer to.

    Of each its middle, what lies across `[edges, 3]`, and the angles from the middle at which it begins and ends `[edges]`.

    `same` `[others, rivals]` says which of these is that other. The great circle half-way is m + u n (times its length), m the
    middle of both places and n across: no place k is nearer to it than `place` p where (m + u n) · (p − k) ≥ 0, a bound of u
    for each k, and so is the reach.
    """
    (a, b, c), (x, y, z) = place, others.T
    across = np.stack([b * z - c * y, c * x - a * z, a * y - b * x], axis=1)  # `np.cross` takes longer to begin
    length = np.linalg.norm(across, axis=1)
    if (length < 1e-12).any():
        raise ValueError("Two places of different groups are the same, so no line runs between them.")
    across /= length[:, None]
    middle = place + others
    middle /= np.linalg.norm(middle, axis=1)[:, None]
    half = np.arccos(np.clip(middle @ place, -1, 1))
    furthest = np.tan(np.arccos(np.minimum(np.cos(reach) / np.cos(half), 1)))
    fixed, slope = middle @ (place - rivals).T, -across @ rivals.T
    fixed[same], level = 0.0, same | (np.abs(slope) < 1e-15)
    with np.errstate(divide="ignore", invalid="ignore"):
        bounds = -fixed / slope
    least = np.max(np.where(~level & (slope > 0), bounds, -np.inf), axis=1, initial=-np.inf)
    most = np.min(np.where(~level & (slope < 0), bounds, np.inf), axis=1, initial=np.inf)
    least, most = np.maximum(least, -furthest), np.minimum(most, furthest)
    there = (least < most) & ~(level & (fixed < -1e-15)).any(axis=1)
    return middle[there], across[there], np.arctan(least[there]), np.arctan(most[there])


def _points(middle: Floats, across: Floats, start: Floats, stop: Floats) -> Floats:
    """Return the points of the arcs [points, 3], after each arc one of nan."""
    amount = 2 + ((stop - start) * RADIUS / STEP).astype(np.intp)
    arc = np.repeat(np.arange(len(amount)), amount + 1)
    place = np.arange(len(arc)) - np.repeat(np.cumsum(amount + 1) - amount - 1, amount + 1)
    angles = place * ((stop - start) / (amount - 1))[arc] + start[arc]
    angles = np.where(place == amount[arc] - 1, stop[arc], np.where(place == amount[arc], np.nan, angles))[:, None]
    return np.asarray(np.cos(angles) * middle[arc] + np.sin(angles) * across[arc])
