"""A grid as a browser walks through it: its figures drawn by the charts of the dashboard, its pairs as numbers to fill them.

What a cell, an axis or a hover says is written here, by the same functions as on the pages; `assets/abx.js` puts numbers in.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.atlas import mapped
from isogloss.backend.atlas.quantised import Scale, codes, packed, scale_of
from isogloss.backend.charts.grid import Grid, hover_heads, pivot
from isogloss.backend.charts.heatmap import heatmap_of
from isogloss.backend.charts.languages import Order, arranged
from isogloss.backend.charts.parts.colourbar import of_several
from isogloss.backend.charts.parts.hatch import hatch
from isogloss.backend.charts.parts.text import name_of, safe
from isogloss.backend.charts.parts.theme import CHANCE, config
from isogloss.backend.experiments.registry import MEASURES
from isogloss.backend.figures.abx import TITLES, UNITS, chance, lower_half
from isogloss.backend.figures.checkpoints import checkpoint_axis, named_checkpoints
from isogloss.backend.figures.languages import language_table
from isogloss.backend.figures.layers import LAYER

if TYPE_CHECKING:
    from collections.abc import Mapping

    import plotly.graph_objects as go
    from numpy.typing import NDArray

    from isogloss.backend.atlas.grids import PairGrid

    Ends = tuple[float, float]
    Floats = NDArray[np.float64]

ORDERS: tuple[Order, ...] = ("name", "family", "script")
N = "Sentences"
SPLIT = 60_000
"""Scores of a checkpoint beyond which each of its layers is a file of its own."""


@dataclass(frozen=True)
class Drawn:
    """How the numbers of a measure are drawn: over all checkpoints, layers and languages alike."""

    scale: Scale
    """What the codes stand for."""
    pairs: Ends
    """The least and the greatest score of a pair."""
    means: Ends
    """The least and the greatest mean of a language over its pairs."""


def drawn_of(grid: PairGrid) -> dict[str, Drawn]:
    """Return how each measure is drawn."""
    ends: dict[str, dict[str, list[float]]] = {metric: {"all": [], "pairs": [], "means": []} for metric in grid.metrics}
    for checkpoint in range(len(grid.checkpoints)):
        found = grid.values(checkpoint)
        means = over_languages(found, grid)["value"]
        for place, metric in enumerate(grid.metrics):
            for kind, values in (
                *(("all", found[name][place]) for name in ("value", "low", "high")),
                ("pairs", found["value"][place]),
                ("means", means[place]),
            ):
                known = values[np.isfinite(values)]
                ends[metric][kind] += [float(known.min()), float(known.max())] if known.size else []
    return {metric: Drawn(scale_of(own["all"]), _ends(own["pairs"]), _ends(own["means"])) for metric, own in ends.items()}


def _ends(known: list[float]) -> Ends:
    return min(known, default=0.0), max(known, default=1.0)


def is_split(grid: PairGrid) -> bool:
    """Whether every layer of a checkpoint is a file of its own: a matrix is read without its neighbours."""
    return len(grid.metrics) * len(grid.layers) * len(grid.pairs) > SPLIT


def figures_of(grid: PairGrid, drawn: Mapping[str, Drawn]) -> dict[str, Any]:
    """Return all that a browser needs before a pair is asked for: names, figures, and templates of those to be filled."""
    labels = named_checkpoints(grid.model.checkpoints)
    columns = {each.fingerprint: labels[each.fingerprint] for each in grid.checkpoints}
    axis = checkpoint_axis(grid.model.checkpoints)
    means = grid.means()
    shown, orders = {}, {order: _ordered(grid, order) for order in ORDERS}
    for metric in grid.metrics:
        cells = pivot(
            means[means["metric"] == metric],
            row="layer",
            column="checkpoint",
            rows=grid.layers,
            columns=columns,
            title=TITLES[metric],
        )
        look = _look(metric, drawn[metric].pairs)
        scale = drawn[metric].scale
        shown[metric] = {
            "title": TITLES[metric],
            "unit": UNITS[metric],
            "direction": MEASURES[metric].better,
            "scale": [scale.low, scale.high],
            "overview": _json(_over_layers(cells, metric, axis, fitted=None)),
            "pair": _emptied(_over_layers(_blank(cells), metric, axis, **look)),
            "matrices": {order: _emptied(_matrix(orders[order], metric, look)) for order in ORDERS},
            "map": {"mean": _colours(metric, _look(metric, drawn[metric].means)), "one": _colours(metric, look)},
            "said": {"name": safe(name_of(UNITS[metric])), "missing": safe("not computed"), "interval": "95% interval", "n": N},
        }
    table = language_table(grid.languages)
    return {
        "model": grid.model.name,
        "corpus": grid.corpus.name,
        "protocol": grid.protocol,
        "layers": grid.layers,
        "checkpoints": [each.label for each in grid.checkpoints],
        "languages": grid.languages,
        "names": table["name"].tolist(),
        "groups": table[["family", "script"]].fillna("").astype(str).to_numpy().tolist(),
        "pairs": [[grid.languages.index(tag) for tag in pair] for pair in grid.pairs],
        "orders": {order: [grid.languages.index(tag) for tag in names] for order, (names, _) in orders.items()},
        "heads": {
            "layers": hover_heads([str(layer) for layer in grid.layers], LAYER),
            "checkpoints": hover_heads(list(columns.values()), axis),
            "languages": hover_heads(table["name"].tolist(), ""),
        },
        "map": mapped.map_of(grid.languages),
        "hatch": _json(hatch(np.ones((1, 1), bool))),
        "measures": shown,
        "split": is_split(grid),
        "config": config(f"ABX {grid.model.name}"),
    }


def numbers_of(grid: PairGrid, checkpoint: int, drawn: Mapping[str, Drawn]) -> list[dict[str, Any]]:
    """Return the scores of a checkpoint, in as many parts as it has files: all its layers, or one each.

    `scores` are of pairs and `means` of languages (each its mean over its pairs): see `_part`.
    """
    found = grid.values(checkpoint)
    means = over_languages(found, grid)
    layers = [[layer] for layer in range(len(grid.layers))] if is_split(grid) else [list(range(len(grid.layers)))]
    return [
        {
            name: _part({field: values[:, each] for field, values in of.items()}, grid.metrics, drawn)
            for name, of in (("scores", found), ("means", means))
        }
        for each in layers
    ]


def over_languages(found: Mapping[str, Floats], grid: PairGrid) -> dict[str, Floats]:
    """Return each language's mean over its pairs, as the dashboard's map has it: fields [metrics, layers, languages].

    `n` is how many pairs it is the mean of. An interval is the mean of the pairs' intervals, the widest that it can have.
    """
    place = {tag: at for at, tag in enumerate(grid.languages)}
    ends = np.array([[place[tag] for tag in pair] for pair in grid.pairs], np.intp).reshape(-1, 2)
    of = np.zeros((len(grid.pairs), len(grid.languages)))
    for end in ends.T:
        of[np.arange(len(ends)), end] = 1.0
    means = {}
    for name in ("value", "low", "high"):
        known = np.isfinite(found[name])
        total, count = (each @ of for each in (np.where(known, found[name], 0.0), known.astype(np.float64)))
        means[name] = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
        if name == "value":
            means["n"] = count
    return means


def _part(found: Mapping[str, Floats], metrics: list[str], drawn: Mapping[str, Drawn]) -> dict[str, Any]:
    """Return the numbers of pairs or of languages in some layers.

    `codes` are 16-bit numbers [metrics, value and how far low and high lie from it, layers, pairs or languages]; `n` are the
    numbers of sentences or pairs that there are, and `which` says which of them each score rests on, where they are several.
    """
    coded = []
    for place, metric in enumerate(metrics):
        value, low, high = (codes(found[name][place], drawn[metric].scale) for name in ("value", "low", "high"))
        coded.append(np.stack([value, low - value, high - value]))  # beyond 16 bits they begin again, and so does the browser
    numbers, which = np.unique(np.nan_to_num(found["n"]), return_inverse=True)
    more = {} if len(numbers) == 1 else {"which": packed(which.astype(np.uint16))}
    return {"codes": packed(np.stack(coded)), "n": numbers.astype(int).tolist(), **more}


def _look(metric: str, ends: Ends) -> dict[str, Any]:
    """Return the colours of figures that are looked at one after the other: the same in all."""
    level = chance(metric)
    scale = (min(CHANCE, ends[0]), max(1.0, ends[1])) if level is not None else (0.0, max(1.0, ends[1]))
    range_, fitted = of_several([], ends if ends[0] < ends[1] else (ends[0], ends[0] + 0.01), scale, None)
    return {"range": range_, "fitted": fitted}


def _colours(metric: str, look: dict[str, Any]) -> dict[str, Any]:
    """Return the colour axis of the map of a measure."""
    fitted: bool = look["fitted"]
    return mapped.colours(UNITS[metric], look["range"], None if fitted else chance(metric), fitted=fitted)


def _ordered(grid: PairGrid, order: Order) -> tuple[dict[str, str], list[str] | None]:
    return arranged(order, None, language_table(grid.languages))


def _over_layers(cells: Grid, metric: str, axis: str, **look: Any) -> go.Figure:
    return heatmap_of(
        cells,
        colour_title=UNITS[metric],
        row_title=LAYER,
        column_title=axis,
        chance=chance(metric),
        show_values=True,
        n_title=N,
        first_row="bottom",
        **look,
    )


def _blank(cells: Grid) -> Grid:
    return Grid(np.full(cells.values.shape, np.nan, np.float32), cells.row_labels, cells.column_labels, title=cells.title)


def _matrix(ordered: tuple[dict[str, str], list[str] | None], metric: str, look: dict[str, Any]) -> go.Figure:
    """Draw the lower half of the pairs of languages, in an order, without scores."""
    names, groups = ordered
    labels, number = tuple(names.values()), len(names)
    rows = None if groups is None else tuple(groups)
    cells = Grid(np.full((number, number), np.nan, np.float32), labels, labels, title=TITLES[metric], row_groups=rows)
    return heatmap_of(
        lower_half(cells), colour_title=UNITS[metric], row_title="", column_title="", chance=chance(metric), n_title=N, **look
    )


def _json(figure: Any) -> dict[str, Any]:
    """Return a figure, or a trace, as plotly.js takes it."""
    made: dict[str, Any] = json.loads(figure.to_json())
    return made


def _emptied(figure: go.Figure) -> dict[str, Any]:
    """Return a figure without what is filled in: numbers, what hovers over them, and the hatch."""
    made = _json(figure)
    heatmap = {name: each for name, each in made["data"][0].items() if name not in ("z", "hovertext", "text", "texttemplate")}
    return {"data": [heatmap], "layout": made["layout"]}
