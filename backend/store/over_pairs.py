"""Sums of a cube over pairs of languages: what means of some layers, of one language or of a whole matrix are made of."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from isogloss.backend.store.cube import Cube, Pairs

    Floats = NDArray[np.float64]

ENDS = ("value", "low", "high")


def over_pairs(cube: Cube, languages: Collection[str], pairs: Collection[tuple[str, str]] | None) -> dict[str, Floats]:
    """Return sums over the pairs among `languages`, of the wanted ones: `total` and `count` [3 (`ENDS`), metrics, layers].

    Besides, the least number of sentences `n`, and the `least` and `greatest` value [metrics, layers].
    """
    some = cube.pairs.among(list(languages), None if pairs is None else list(pairs))
    of_pairs = {name: field[:, :, some] for name, field in cube.fields.items()}
    extremes = {
        name: np.fmin.reduce(of_pairs[field], axis=2, initial=np.inf) for name, field in (("n", "n"), ("least", "value"))
    }
    return {
        "total": np.stack([np.nansum(of_pairs[name], axis=2) for name in ENDS]),
        "count": np.stack([np.isfinite(of_pairs[name]).sum(axis=2, dtype=np.float64) for name in ENDS]),
        "greatest": np.fmax.reduce(of_pairs["value"], axis=2, initial=-np.inf),
    } | extremes


def by_language(cube: Cube, languages: tuple[str, ...], pairs: frozenset[tuple[str, str]] | None) -> dict[str, Floats]:
    """Return the sums over the pairs of each of `languages`, which are sorted: `total` and `count` with one axis more."""
    ends = ends_of(cube.pairs, languages, pairs)
    shape = (*cube.fields["value"].shape[:2], len(languages))
    total, count = [], []
    for name in ENDS:
        values = cube.fields[name].reshape(shape[0] * shape[1], len(cube.pairs))
        sums, counts = ends @ values.T, np.broadcast_to(ends.sum(axis=1)[:, None], (len(languages), len(values)))
        if np.isnan(sums).any():  # seldom, and looking for each number takes longer than the sums
            known = np.isfinite(values)
            sums, counts = ends @ np.where(known, values, 0.0).T, ends @ known.astype(np.float64).T
        total.append(sums.T.reshape(shape))
        count.append(counts.T.reshape(shape))
    return {"total": np.stack(total), "count": np.stack(count)}


@lru_cache(maxsize=8)
def ends_of(of: Pairs, languages: tuple[str, ...], pairs: frozenset[tuple[str, str]] | None) -> csr_array:
    """Return which of the chosen pairs are a language's, [languages, pairs]: two of each pair are 1, all others 0."""
    from scipy.sparse import csr_array

    some = np.flatnonzero(of.among(languages, None if pairs is None else list(pairs)))
    row = np.searchsorted(languages, np.array(of.names)) if languages else np.zeros(0, np.intp)
    rows = np.concatenate([row[of.source[some]], row[of.target[some]]]) if len(some) else np.zeros(0, np.intp)
    return csr_array((np.ones(len(rows)), (rows, np.tile(some, 2))), shape=(len(languages), len(of)))
