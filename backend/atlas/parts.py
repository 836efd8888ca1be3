"""The numbers of a grid as a browser reads them: of pairs, and of languages their means, in 16 bits, a checkpoint at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.atlas.quantised import Scale, bounds, codes, packed, scale_of
from isogloss.backend.charts.world.world import DISTINCT
from isogloss.backend.experiments.on_a_map import APART, groups_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from isogloss.backend.atlas.grids import PairGrid

    Ends = tuple[float, float]
    Floats = NDArray[np.float64]

BOUNDS = ("value", "low", "high")
GROUPS = tuple(range(2, DISTINCT + 1))
"""How many groups of languages there may be on the map."""


@dataclass(frozen=True)
class Drawn:
    """How the numbers of a measure are drawn: over all checkpoints, layers and languages alike."""

    scale: Scale
    """What the codes stand for."""
    pairs: Ends
    """The least and the greatest score of a pair."""
    means: Ends
    """The least and the greatest mean of a language over its pairs."""


@dataclass(frozen=True, eq=False)
class Survey:
    """What is known of a grid before its pairs are drawn."""

    drawn: dict[str, Drawn]
    """By metric."""
    overall: dict[str, Floats]
    """The mean over all pairs of languages, fields [metrics, layers, checkpoints]: `n` pairs, and the least `sentences`."""


def survey(grid: PairGrid) -> Survey:
    """Look at the numbers of every checkpoint, one after the other."""
    spans: dict[str, list[Ends]] = {metric: [] for metric in grid.metrics}
    pairs: dict[str, list[Ends]] = {metric: [] for metric in grid.metrics}
    means: dict[str, list[Ends]] = {metric: [] for metric in grid.metrics}
    overall: list[dict[str, Floats]] = []
    for checkpoint in range(len(grid.checkpoints)):
        found = grid.values(checkpoint)
        languages = over_languages(found, grid)["value"]
        overall.append(over_all(found, grid))
        for place, metric in enumerate(grid.metrics):
            spans[metric] += [_span(found[name][place]) for name in BOUNDS]
            pairs[metric].append(_span(found["value"][place]))
            means[metric].append(_span(languages[place]))
    drawn = {
        metric: Drawn(scale_of(np.ravel(spans[metric]).tolist()), _ends(pairs[metric]), _ends(means[metric]))
        for metric in grid.metrics
    }
    return Survey(drawn, {name: np.stack([each[name] for each in overall], axis=2) for name in overall[0]})


def _span(values: Floats) -> Ends:
    known = values[np.isfinite(values)]
    return (float(known.min()), float(known.max())) if known.size else (np.nan, np.nan)


def _ends(spans: list[Ends]) -> Ends:
    known = [each for each in spans if each[0] == each[0]]
    return min((low for low, _ in known), default=0.0), max((high for _, high in known), default=1.0)


def over_languages(found: Mapping[str, Floats], grid: PairGrid) -> dict[str, Floats]:
    """Return each language's mean over its pairs, as the dashboard's map has it: fields [metrics, layers, languages].

    Where scores have a direction, over the pairs that it is the source of, without itself; of a language alone its score.
    `n` is how many pairs it is the mean of. An interval is the mean of the pairs' intervals, the widest that it can have.
    """
    of = np.zeros((len(grid.pairs), len(grid.languages)))
    apart = grid.ends[:, 0] != grid.ends[:, 1]
    for end in grid.ends.T[: 2 if grid.of == "pairs" else 1]:
        of[np.arange(len(end)), end] = apart | (grid.of == "languages")
    return _means(found, of)


def over_all(found: Mapping[str, Floats], grid: PairGrid) -> dict[str, Floats]:
    """Return the mean over all pairs of two languages (all languages), as `over_languages`, and the least `sentences`."""
    apart = (grid.ends[:, 0] != grid.ends[:, 1]) | (grid.of == "languages")
    means = {name: each[..., 0] for name, each in _means(found, apart[:, None].astype(np.float64)).items()}
    least = np.fmin.reduce(np.where(apart, found["n"], np.nan), axis=2, initial=np.inf)
    return means | {"sentences": np.where(np.isfinite(least), least, np.nan)}


def _means(found: Mapping[str, Floats], of: Floats) -> dict[str, Floats]:
    """Return the means over pairs [pairs, places] that are 1."""
    means = {}
    for name in BOUNDS:
        known = np.isfinite(found[name])
        total, count = (each @ of for each in (np.where(known, found[name], 0.0), known.astype(np.float64)))
        means[name] = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
        if name == "value":
            means["n"] = count
    return means


def parts_of(grid: PairGrid, checkpoint: int, drawn: Mapping[str, Drawn]) -> list[dict[str, Any]]:
    """Return the numbers of a checkpoint in as many parts as it has files: all its layers, or one each.

    `scores` are of pairs and `means` of languages: see `_part`. `groups` are those of the map (`_groups`).
    """
    found = grid.values(checkpoint)
    languages = over_languages(found, grid)
    groups = _groups(found["value"], grid) if grid.of == "pairs" else None
    layers = [[layer] for layer in range(len(grid.layers))] if grid.is_split else [list(range(len(grid.layers)))]
    return [
        {
            name: _part({field: values[:, each] for field, values in own.items()}, grid.metrics, drawn)
            for name, own in (("scores", found), ("means", languages))
        }
        | ({} if groups is None else {"groups": packed(groups[:, each])})
        for each in layers
    ]


def _groups(values: Floats, grid: PairGrid) -> NDArray[np.uint16]:
    """Return the groups of languages by their pairs' scores, [metrics, layers, `GROUPS`, languages], as on the dashboard."""
    one, other = grid.ends.T
    found = np.zeros((*values.shape[:2], len(GROUPS), len(grid.languages)), np.uint16)
    for metric, name in enumerate(grid.metrics):
        for layer, own in enumerate(values[metric]):
            squares = np.full((len(grid.languages),) * 2, np.nan)
            squares[one, other] = squares[other, one] = own
            found[metric, layer] = groups_of(squares, GROUPS, apart=name in APART)
    return found


def _part(found: Mapping[str, Floats], metrics: list[str], drawn: Mapping[str, Drawn]) -> dict[str, Any]:
    """Return the numbers of pairs or of languages in some layers.

    `values` are 16-bit codes [metrics, layers, pairs or languages], each less that of the layer below, which is much like it;
    `bounds` [metrics, low and high, layers, pairs or languages] how far these read from it. `n` are the numbers of sentences or
    pairs that there are, and `which` says which of them each score rests on, where they are several.
    """
    value = np.stack([codes(found["value"][place], drawn[metric].scale) for place, metric in enumerate(metrics)])
    apart = [
        bounds(found["low"][place], found["high"][place], value[place], drawn[metric].scale)
        for place, metric in enumerate(metrics)
    ]
    layered = np.diff(value, axis=1, prepend=np.uint16(0))  # beyond 16 bits it begins again, and so does the browser
    numbers, which = np.unique(np.nan_to_num(found["n"]), return_inverse=True)
    more = {} if len(numbers) == 1 else {"which": packed(which.astype(np.uint16))}
    return {"values": packed(layered), "bounds": packed(np.stack(apart)), "n": numbers.astype(int).tolist(), **more}
