"""A measure that is large, read a checkpoint at a time: 204 languages × 33 layers × 40 checkpoints are 440 MB of squares.

What is asked of several checkpoints is mostly one layer of each, or their mean, and that is kept: 13 MB. A measure that is
small is laid out once and kept whole, since any question to it is then a mean.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.byte_cache import ByteCache
from isogloss.backend.experiments.relations.cubes import (
    Squares,
    as_read,
    files_of,
    laid_out,
    one_square,
    parts_of,
    squares_of,
    with_any,
)
from isogloss.backend.experiments.relations.dictionaries import variant_as_told
from isogloss.backend.experiments.relations.reading import EACH, LAST, MEAN, Scored
from isogloss.backend.store import scores
from isogloss.backend.store.cube import NO_LAYER, mean_of_known

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from isogloss.backend.experiments.relations.cubes import Files
    from isogloss.backend.experiments.relations.reading import Given

    Floats = NDArray[np.float64]

WHOLE = 64 << 20
"""Bytes of a measure's squares up to which all are laid out at once: 36 languages × 13 layers × 39 checkpoints are 5 MB."""
LIMIT = 64 << 20
"""Bytes of measures kept at one layer of each checkpoint: five of 204 languages and 40 checkpoints."""

_KEPT: ByteCache[Squares] = ByteCache(LIMIT, lambda squares: squares.values.nbytes)


def some_of(of: Scored | Given, workspaces: Sequence[Path], checkpoint: str, layer: int | str) -> Squares:
    """Return the squares that a measure read at this `checkpoint` and `layer` rests on, kept while its files do not change.

    Of one checkpoint its own: where the last has no number those of the last that has, and of a small measure all.
    Of several all of a small measure; of a large one the layer of each checkpoint, as the only one there is, or, for `each`
    layer, the mean over checkpoints.
    """
    files = files_of(workspaces, of.experiment) if isinstance(of, Scored) else ()
    only = single(of, checkpoint, layer)
    if not isinstance(of, Scored) or _is_small(of, files):
        return squares_of(of, workspaces, only)
    if only is not None:
        return _known(of, workspaces, of.checkpoints[::-1] if checkpoint == LAST else (only,))
    if layer != EACH:
        return _KEPT.get((of, files, layer), lambda: _at_a_layer(of, _layer_of_each(of, workspaces, files, layer), layer))
    every = (at_checkpoint(of, workspaces, place) for place in range(len(of.checkpoints)))
    return squares_of(of, workspaces) if checkpoint == EACH else _KEPT.get((of, files, EACH), lambda: _mean(every))


def at_checkpoint(of: Scored | Given, workspaces: Sequence[Path], place: int) -> Squares:
    """Return the squares of one checkpoint of a measure: of a large one with its own layers and languages, and not kept."""
    files = files_of(workspaces, of.experiment) if isinstance(of, Scored) else ()
    if isinstance(of, Scored) and not _is_small(of, files):
        one = _alone(of, of.checkpoints[place])
        directed = any(each["directed"] for each in _listed(of, files))
        return laid_out(one, parts_of(one, files, values_alone=True), directed=directed)
    whole = squares_of(of, workspaces)
    own = slice(place, place + 1)
    return replace(whole, values=whole.values[own], checkpoints=whole.checkpoints[own], steps=whole.steps[own])


def single(of: Scored | Given, checkpoint: str, layer: int | str) -> str | None:
    """Return the one checkpoint whose scores are read; None for several, also where the last layer is that of any of them."""
    if not isinstance(of, Scored) or layer == LAST or checkpoint in (MEAN, EACH):
        return None
    return of.checkpoints[-1] if checkpoint == LAST else checkpoint


def _known(of: Scored, workspaces: Sequence[Path], keys: Sequence[str]) -> Squares:
    """Return the squares of the first of these checkpoints that has a number, without one where none has."""
    for key in keys:
        if key in of.checkpoints and np.isfinite((one := squares_of(_alone(of, key), workspaces)).values).any():
            return one
    return laid_out(_alone(of, keys[0]) if keys[0] in of.checkpoints else of, [])


def _alone(of: Scored, key: str) -> Scored:
    place = of.checkpoints.index(key)
    return of.model_copy(update={"checkpoints": (key,), "steps": of.steps[place : place + 1]})


def _is_small(of: Scored, files: Files) -> bool:
    """Return whether all squares of a measure fit into `WHOLE`, by what footers say of it: those of older files say nothing."""
    listed = _listed(of, files)
    layers, names = ({each for one in listed for each in one[what]} for what in ("layers", "names"))
    return len(of.checkpoints) * max(len(layers), 1) * len(names) ** 2 * 8 <= WHOLE


@lru_cache(maxsize=64)
def _listed(of: Scored, files: Files) -> list[dict[str, Any]]:
    """Return what footers list of a measure (`scores.LISTED`)."""
    variant = as_read(of.variant, of.corpus, of.metric, files)
    return [
        each
        for file in with_any(files, of.checkpoints)
        for each in file.provenance.get(scores.FOOTER, ())
        if (each["experiment"], each["metric"], each["corpus"]) == (of.experiment, of.metric, of.corpus)
        and variant_as_told(each["variant"], file, of.metric) == variant
        and each["checkpoint"] in of.checkpoints
    ]


def _layer_of_each(of: Scored, workspaces: Sequence[Path], files: Files, layer: int | str) -> Iterator[Squares]:
    """Yield the squares of each checkpoint: where its file is large that layer's alone, or the mean, to seven digits."""
    listed = _listed(of, files)
    last = max((int(number) for each in listed for number in each["layers"]), default=NO_LAYER)
    number = None if layer == MEAN else last if layer == LAST else int(layer)
    alike = len({each["directed"] for each in listed}) == 1
    for place, key in enumerate(of.checkpoints):
        read = one_square(of, workspaces, key, number) if alike else None
        yield at_checkpoint(of, workspaces, place) if read is None else read


def _at_a_layer(of: Scored, pieces: Iterable[Squares], layer: int | str) -> Squares:
    """Return one layer (a number, the last there is, or the mean) of each checkpoint: [checkpoints, 1, names, names]."""
    found = [(_own(each, layer), each.layers, each.names, each.symmetric) for each in pieces]
    layers = sorted({layer for _, own, _, _ in found for layer in own})
    names = tuple(sorted({name for _, _, own, _ in found for name in own}))
    values = np.full((len(found), 1, len(names), len(names)), np.nan)
    for place, (own_values, own_layers, own_names, _) in enumerate(found):
        at_last = own_layers[-1:] == tuple(layers[-1:])
        if at_last if layer == LAST else layer == MEAN or layer in own_layers or layers == [NO_LAYER]:
            at = np.searchsorted(names, own_names)
            values[place, 0][np.ix_(at, at)] = own_values
    return Squares(values, of.checkpoints, of.steps, (NO_LAYER,), names, all(symmetric for *_, symmetric in found))


def _own(squares: Squares, layer: int | str) -> Floats:
    """Return a layer of a checkpoint's squares [names, names]; any where it has not that one."""
    values = squares.values
    if layer == MEAN or not squares.layers:
        return np.asarray(mean_of_known(values, 1)[0, 0])
    at = squares.layers.index(layer) if isinstance(layer, int) and layer in squares.layers else -1
    return np.array(values[0, at])  # else all layers stay


def _mean(pieces: Iterable[Squares]) -> Squares:
    """Return the mean of each layer over the checkpoints that have it, [1, layers, names, names]: summed up as they come."""
    layers: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    total = count = np.zeros((0, 0, 0))
    symmetric = True
    for each in pieces:
        wider = tuple(sorted({*layers, *each.layers})), tuple(sorted({*names, *each.names}))
        if wider != (layers, names):
            total, count = (_onto(old, layers, names, *wider) for old in (total, count))
            layers, names = wider
        known = np.isfinite(each.values[0])
        total += _onto(np.where(known, each.values[0], 0.0), each.layers, each.names, layers, names)
        count += _onto(known, each.layers, each.names, layers, names)
        symmetric &= each.symmetric
    mean = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return Squares(mean[None], ("",), (None,), layers, names, symmetric)


def _onto(
    values: NDArray[Any], layers: tuple[int, ...], names: tuple[str, ...], to_layers: tuple[int, ...], to_names: tuple[str, ...]
) -> Floats:
    """Return values [layers, names, names] among more layers and names, 0 where there are none."""
    wide = np.zeros((len(to_layers), len(to_names), len(to_names)))
    if names:
        at = np.searchsorted(to_names, names)
        wide[np.ix_(np.searchsorted(to_layers, layers), at, at)] = values
    return wide
