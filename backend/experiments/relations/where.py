"""The correlation of one measure at each layer of each checkpoint with another: read and correlated a checkpoint at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.experiments.relations.cubes import Squares
from isogloss.backend.experiments.relations.one_by_one import at_checkpoint, some_of
from isogloss.backend.experiments.relations.reading import EACH, MEAN, Question, Scored
from isogloss.backend.experiments.relations.reduced import reduced
from isogloss.backend.experiments.relations.tables import checkpoint_keys, joined, position
from isogloss.backend.metrics import permutation
from isogloss.backend.metrics.correlation import spearman_rows
from isogloss.backend.metrics.laid_out import correlations, lay_out
from isogloss.backend.metrics.orders import MANY
from isogloss.backend.metrics.permutation_of_each import of_each
from isogloss.backend.metrics.whole_matrices import is_whole
from isogloss.backend.store.cube import NO_LAYER

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from isogloss.backend.experiments.relations.reading import Given
    from isogloss.backend.experiments.relations.tables import Joined
    from isogloss.backend.metrics.laid_out import LaidOut
    from isogloss.backend.metrics.permutation import ManyPermuted

    Floats = NDArray[np.float64]

FEW = 99
"""Permutations where each cell has an outcome of its own to permute."""
LEAST = 4
"""Points that a correlation needs to be shown."""

Cell = tuple[str, int, float, float, int]
"""Checkpoint, layer, correlation, p, points."""


@dataclass(frozen=True, eq=False)
class Both:
    """Two measures at each layer of one checkpoint."""

    layers: tuple[int, ...]
    on: Joined
    x: Floats
    """[layers, languages (, languages)]"""
    y: Floats

    def shared(self) -> set[str]:
        """Return the languages that have a point with both at any layer."""
        has = languages_with_points(self.on, np.isfinite(self.x) & np.isfinite(self.y))
        return {name for name, own in zip(self.on.names, has.tolist(), strict=True) if own}


def cells(question: Question, workspaces: Sequence[Path], x: str, y: str, *, ranks: bool) -> list[Cell]:
    """Return a cell for each layer of x at each checkpoint, the layers one after another."""
    every = _Everywhere(question, workspaces, x, y)
    fixed = question.readings[y].layer != EACH and question.readings[y].checkpoint != EACH
    keys, found, shared = every.keys(), {}, {}
    of_fixed = _Fixed(ranks) if fixed else None
    for key in keys:
        if (both := every.at(key)) is not None:
            shared[key] = both.shared() if fixed else set()
            found[key] = _cells(both, key, shared[key], ranks=ranks, fixed=of_fixed)
    together = {name for own in shared.values() for name in own}
    for key, own in shared.items():  # one set of languages is permuted for all cells: mostly each has had it
        if own and own != together and (both := every.at(key)) is not None:
            found[key] = _cells(both, key, together, ranks=ranks, fixed=of_fixed)
    at = {(cell[0], cell[1]): cell for own in found.values() for cell in own}
    layers = sorted({layer for _, layer in at})
    return [at.get((key, layer), (key, layer, np.nan, np.nan, 0)) for layer in layers for key in keys]


class _Everywhere:
    """Reads two measures at each layer of one checkpoint after another: y there too, or as it is read."""

    def __init__(self, question: Question, workspaces: Sequence[Path], x: str, y: str) -> None:
        self.question, self.workspaces, self.x, self.y = question, workspaces, x, y
        read = question.readings[y]
        self.fixed = None
        if read.checkpoint != EACH:
            self.fixed = some_of(read.of, workspaces, read.checkpoint, read.layer)
        if self.fixed is not None and read.layer != EACH:  # reduced once, not at each checkpoint of x
            values = reduced(self.fixed, read)
            self.fixed = replace(self.fixed, values=values, checkpoints=("",), steps=(None,), layers=(NO_LAYER,))
        self.heads = {name: _head(question.readings[name].of) for name in (x, y)}
        self.joined_by = checkpoint_keys(self.heads)

    def keys(self) -> tuple[str, ...]:
        """Return what checkpoints are joined by, in the order of training: of y's too where it is read at each."""
        of = [self.x] if self.fixed is not None else [self.x, self.y]
        return tuple(sorted({key for name in of for key in self.joined_by[name]}, key=position(self.heads, self.joined_by)))

    def at(self, key: str) -> Both | None:
        """Return both at one checkpoint; None where x has nothing there, or y none of it."""
        across, up = self._squares(self.x, key), self.fixed or self._squares(self.y, key)
        if across is None or up is None or not across.layers or not across.names:
            return None
        readings = {name: self.question.readings[name] for name in (self.x, self.y)}
        readings[self.x] = readings[self.x].model_copy(update={"checkpoint": EACH, "layer": EACH})
        if readings[self.y].layer == EACH and up.layers == (NO_LAYER,):  # it has none to follow along
            readings[self.y] = readings[self.y].model_copy(update={"layer": MEAN})
        asked = Question(unit=self.question.unit, along="layer", readings=readings)
        found = joined(asked, {self.x: across, self.y: up})
        at = [found.over.index(str(layer)) for layer in across.layers]
        every: Any = slice(None) if at == [*range(len(found.over))] else at
        return Both(across.layers, found, *(found.arrays[name][every] for name in (self.x, self.y)))

    def _squares(self, name: str, key: str) -> Squares | None:
        if key not in self.joined_by[name]:
            return None
        return at_checkpoint(self.question.readings[name].of, self.workspaces, self.joined_by[name].index(key))


def _head(of: Scored | Given) -> Squares:
    """Return a measure without its numbers."""
    checkpoints, steps = (of.checkpoints, of.steps) if isinstance(of, Scored) else (("",), (None,))
    return Squares(np.zeros((0, 0, 0, 0)), checkpoints, steps, (), (), symmetric=True)


class _Fixed:
    """Correlates a y that is the same for all cells: what lacks nothing is laid out once for its languages."""

    def __init__(self, ranks: bool) -> None:
        self.ranks = ranks
        self.laid_out: dict[tuple[str, ...], LaidOut] = {}

    def correlated(self, both: Both, names: tuple[str, ...]) -> ManyPermuted:
        """Return the correlations of y with x at each layer of a checkpoint, the languages `names` permuted."""
        x, y = (_among(both.on, each, names) for each in (both.x, both.y[0]))
        if not names or not both.on.pairs or not is_whole(y) or not is_whole(x):
            return permutation.correlations(y, x, pairs=both.on.pairs, ranks=self.ranks, amount=MANY)
        if names not in self.laid_out:
            self.laid_out = {names: lay_out(y, symmetric=both.on.symmetric, ranks=self.ranks, amount=MANY)}
        return correlations(self.laid_out[names], x)


def _cells(both: Both, key: str, names: set[str], *, ranks: bool, fixed: _Fixed | None) -> list[Cell]:
    """Return the cells of one checkpoint: `names` are the languages that are permuted where y is the same for all."""
    n = np.asarray((np.isfinite(both.x) & np.isfinite(both.y)).sum(axis=tuple(range(1, both.x.ndim))))
    if both.on.pairs and both.on.symmetric:
        n = n // 2
    if fixed:
        many = fixed.correlated(both, tuple(sorted(names)))
        value, p = many.value, many.p
    else:
        each = (_of_shared(both.on, b, a) for a, b in zip(both.x, both.y, strict=True))
        value, p = of_each(each, pairs=both.on.pairs, ranks=ranks, amount=FEW)
    if ranks and (np.isfinite(both.x) != np.isfinite(both.y)).any():  # ranks were taken over all that each has
        value = _spearman(both)
    value, p = (np.where(n >= LEAST, each, np.nan) for each in (value, p))
    return list(zip([key] * len(n), both.layers, value.tolist(), p.tolist(), n.tolist(), strict=True))


def _spearman(both: Both) -> Floats:
    """Return Spearman's correlation of x with y at each layer, over what both have."""
    shape = both.x.shape[1:]
    cells = np.triu(np.ones(shape, bool)) if both.on.pairs and both.on.symmetric else np.ones(shape, bool)
    left, right = both.x[:, cells], both.y[:, cells]
    known = (np.isfinite(left) & np.isfinite(right)).any(axis=0)
    return spearman_rows(left[:, known], right[:, known]).value


def _of_shared(on: Joined, a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return both on the languages that have a point with both."""
    has = languages_with_points(on, np.isfinite(a) & np.isfinite(b))
    return at_languages(on, a, has), at_languages(on, b, has)


def _among(on: Joined, values: Floats, names: Sequence[str]) -> Floats:
    """Return values [… languages (, languages)] on these languages, nan where they lack one."""
    if list(names) == list(on.names):
        return values
    place = {name: at for at, name in enumerate(on.names)}
    there = [name in place for name in names]
    own = np.array([place[name] for name in names if name in place], np.intp)
    if all(there):
        return at_languages(on, values, own)
    wide = np.full((*values.shape[: -2 if on.pairs else -1], *(len(names),) * (2 if on.pairs else 1)), np.nan)
    at = np.flatnonzero(there)
    if on.pairs:
        wide[..., at[:, None], at] = at_languages(on, values, own)
    else:
        wide[..., at] = at_languages(on, values, own)
    return wide


def languages_with_points(found: Joined, known: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which languages (units) have a point among those `known` [… languages (, languages)]."""
    has = np.asarray(known.any(axis=tuple(range(known.ndim - (2 if found.pairs else 1)))))
    return np.asarray(has.any(axis=0) | has.any(axis=1)) if found.pairs else has


def at_languages(found: Joined, values: Floats, which: NDArray[Any]) -> Floats:
    """Return the values [… languages (, languages)] of these languages."""
    return values[..., which, :][..., which] if found.pairs else values[..., which]
