"""A measure's squares as its reading asks: one checkpoint, one layer or their means, then pairs or each language's mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.experiments.relations.reading import MEAN
from isogloss.backend.store.cube import mean_of_known

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isogloss.backend.experiments.relations.cubes import Squares
    from isogloss.backend.experiments.relations.reading import Reading, Role

    Floats = NDArray[np.float64]


def reduced(cube: Squares, reading: Reading) -> Floats:
    """The cube [checkpoints, layers, n, n] with its first axes reduced as the reading says, each to one unless `each`."""
    values = cube.values
    if not values.shape[1]:  # nothing is computed
        values = np.full((len(values), 1, *values.shape[2:]), np.nan)
    match reading.checkpoint:
        case "mean" | "each":
            pass
        case "last":
            last = next((i for i in reversed(range(len(values))) if np.isfinite(values[i]).any()), 0)
            values = values[last : last + 1]
        case fingerprint if fingerprint in cube.checkpoints:
            values = values[cube.checkpoints.index(fingerprint)][None]
        case _ if cube.checkpoints != ("",):  # one without scores; what no checkpoint changes stays as it is
            values = _none(values, 0)
    match reading.layer:
        case "mean":
            values = mean_of_known(values, 1)
        case "last":
            values = values[:, -1:]
        case "each":
            pass
        case int(layer) if cube.layers != (-1,):
            values = values[:, cube.layers.index(layer)][:, None] if layer in cube.layers else _none(values, 1)
        case _:
            pass
    return mean_of_known(values, 0) if reading.checkpoint == MEAN else values


def pair_values(values: Floats) -> Floats:
    """Values [..., n, n] of pairs of different languages; as they are, not to be changed, where there are no others."""
    if np.isnan(np.diagonal(values, axis1=-2, axis2=-1)).all():
        return values
    return np.where(np.eye(values.shape[-1], dtype=bool), np.nan, values)


def language_values(values: Floats, role: Role, symmetric: bool = False) -> Floats:
    """Return a language's mean over its pairs [..., n, n] by its role in them: [..., n].

    In squares that are `symmetric` it has the same pairs in each role.
    """
    own = np.diagonal(values, axis1=-2, axis2=-1)
    if role == "itself":
        return np.asarray(own)
    off = pair_values(values)
    match "source" if symmetric else role:
        case "source":
            return mean_of_known(off, -1)[..., 0]
        case "target":
            return mean_of_known(off, -2)[..., 0, :]
        case _:
            return mean_of_known(np.concatenate([off, np.swapaxes(off, -1, -2)], axis=-1), -1)[..., 0]


def _none(values: Floats, axis: int) -> Floats:
    shape = list(values.shape)
    shape[axis] = 1
    return np.full(shape, np.nan)
