"""The isogloss: the line on a map between places of one group and places of another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
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
    between = _diagram(places.tobytes())
    differ = own[between.first] != own[between.second]
    if (differ & between.same).any():
        raise ValueError("Two places of different groups are the same, so no line runs between them.")
    points = _points(*(each[differ] for each in between.arcs)) if differ.any() else np.zeros((0, 3))
    x, y, z = points[:-1].T
    return np.degrees(np.arctan2(y, x)), np.degrees(np.arcsin(np.clip(z, -1, 1)))


@dataclass(frozen=True, eq=False)
class _Diagram:
    """The edges of places' Voronoi diagram: arrays [edges], by their first place, then by their second."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    same: NDArray[np.bool_]
    """Both places are the same: there is no edge."""
    arcs: tuple[Floats, ...]
    """As `_points` takes them."""


@lru_cache(maxsize=16)
def _diagram(of: bytes) -> _Diagram:
    """Return the diagram of places (unit vectors), kept: groups change from layer to layer, and places do not."""
    places = np.frombuffer(of).reshape(-1, 3)
    reach = reach_of(places) / RADIUS
    near = places @ places.T > np.cos(2 * reach)
    ends = [np.zeros((3, 0), np.intp)]
    arcs: list[tuple[Floats, ...]] = [(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), np.zeros(0))]
    for first in range(len(places)):
        others = np.flatnonzero(near[first] & (np.arange(len(places)) > first))
        rivals = np.flatnonzero(near[first] & (np.arange(len(places)) != first))
        if len(others):
            there, same, *arc = _edges(places[first], places[others], places[rivals], others[:, None] == rivals, reach)
            ends.append(np.stack([np.full(int(there.sum()), first), others[there], same[there]]))
            arcs.append(tuple(each[there] for each in arc))
    begin, end, same = np.concatenate(ends, axis=1)
    return _Diagram(begin, end, same.astype(bool), tuple(map(np.concatenate, zip(*arcs, strict=True))))


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
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], Floats, Floats, Floats, Floats]:
    """Return the edges between `place` and each of `others` `[others, 3]` that none of `rivals` `[rivals, 3]` is nearer to.

    Of each whether there is one or both places are the same, and whether these are; its middle, what lies across
    `[others, 3]`, and the angles from the middle at which it begins and ends `[others]`.

    `same` `[others, rivals]` says which of these is that other. The great circle half-way is m + u n (times its length), m the
    middle of both places and n across: no place k is nearer to it than `place` p where (m + u n) · (p − k) ≥ 0, a bound of u
    for each k, and so is the reach.
    """
    (a, b, c), (x, y, z) = place, others.T
    across = np.stack([b * z - c * y, c * x - a * z, a * y - b * x], axis=1)  # `np.cross` takes longer to begin
    length = np.linalg.norm(across, axis=1)
    twice = length < 1e-12
    across /= np.where(twice, 1.0, length)[:, None]
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
    return there | twice, twice, middle, across, np.arctan(least), np.arctan(most)


def _points(middle: Floats, across: Floats, start: Floats, stop: Floats) -> Floats:
    """Return the points of the arcs [points, 3], after each arc one of nan."""
    amount = 2 + ((stop - start) * RADIUS / STEP).astype(np.intp)
    arc = np.repeat(np.arange(len(amount)), amount + 1)
    place = np.arange(len(arc)) - np.repeat(np.cumsum(amount + 1) - amount - 1, amount + 1)
    angles = place * ((stop - start) / (amount - 1))[arc] + start[arc]
    angles = np.where(place == amount[arc] - 1, stop[arc], np.where(place == amount[arc], np.nan, angles))[:, None]
    return np.asarray(np.cos(angles) * middle[arc] + np.sin(angles) * across[arc])
