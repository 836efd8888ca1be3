"""A grid as a browser walks through it: its figures drawn by the charts of the dashboard, its pairs as numbers to fill them.

What a cell, an axis or a hover says is written here, by the same functions as on the pages; `assets/walk.js` puts numbers in.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.atlas import mapped
from isogloss.backend.charts.grid import Grid, hover_heads
from isogloss.backend.charts.heatmap import heatmap_of
from isogloss.backend.charts.languages import Order, arranged
from isogloss.backend.charts.parts.colourbar import of_several
from isogloss.backend.charts.parts.hatch import hatch
from isogloss.backend.charts.parts.text import safe
from isogloss.backend.charts.parts.theme import config
from isogloss.backend.corpora.languages.facts import BY_ORDER, credits_of
from isogloss.backend.experiments.registry import MEASURES
from isogloss.backend.figures.abx import lower_half
from isogloss.backend.figures.checkpoints import checkpoint_axis, named_checkpoints
from isogloss.backend.figures.languages import language_table
from isogloss.backend.figures.layers import LAYER

if TYPE_CHECKING:
    from collections.abc import Sequence

    import plotly.graph_objects as go

    from isogloss.backend.atlas.grids import Of, PairGrid
    from isogloss.backend.atlas.parts import Drawn, Ends, Survey
    from isogloss.backend.experiments.family import Measure

ORDERS: tuple[Order, ...] = ("name", "family", "script", "region")
CREDITS = credits_of([*(fact for order in ORDERS for fact in BY_ORDER.get(order, ())), "place", "coastline"])
"""Who says what a walk has of languages, in its orders and on its map."""
ENDS: dict[Of, tuple[str, str]] = {"pairs": ("", ""), "directed": ("Source", "Target"), "languages": ("", LAYER)}
"""What the rows and the columns of a matrix are called."""


def figures_of(grid: PairGrid, surveyed: Survey) -> dict[str, Any]:
    """Return all that a browser needs before a pair is asked for: names, figures, and templates of those to be filled."""
    labels = named_checkpoints(grid.model.checkpoints)
    columns = [labels[each.fingerprint] for each in grid.checkpoints]
    axis, table = checkpoint_axis(grid.model.checkpoints), language_table(grid.languages)
    orders = {order: arranged(order, None, table) for order in ORDERS}
    shown, drawn = {}, surveyed.drawn
    for place, metric in enumerate(grid.metrics):
        measure, look = MEASURES[metric], _look(metric, drawn[metric].pairs, drawn[metric])
        cells = _means_over(grid, place, columns, measure, surveyed)
        means = _look(metric, drawn[metric].means, drawn[metric])
        shown[metric] = {
            "title": measure.title,
            "unit": measure.axis,
            "direction": measure.better,
            "scale": [drawn[metric].scale.low, drawn[metric].scale.high],
            "decimals": drawn[metric].scale.decimals,
            "units": drawn[metric].scale.units,
            "overview": _json(_over_layers(cells, measure, axis, fitted=None, form=look["form"])),
            "pair": _emptied(_over_layers(_blank(cells), measure, axis, **look)),
            "matrices": {order: _emptied(_matrix(grid, orders[order], measure, look)) for order in ORDERS},
            "map": {"mean": _colours(measure, means), "one": _colours(measure, look)},
            "said": {
                "name": safe(measure.title),
                "missing": safe("not computed"),
                "interval": "95% interval",
                "n": measure.counted,
                "decimals": drawn[metric].scale.decimals,
            },
        }
    rows, across = ENDS[grid.of]
    return {
        "of": grid.of,
        "layers": grid.layers,
        "checkpoints": [each.label for each in grid.checkpoints],
        "languages": grid.languages,
        "names": table["name"].tolist(),
        "groups": table[list(ORDERS[1:])].fillna("").astype(str).to_numpy().tolist(),
        "pairs": grid.ends.tolist(),
        "orders": {order: [grid.languages.index(tag) for tag in names] for order, (names, _) in orders.items()},
        "credits": {order: credits_of(BY_ORDER[order]) for order in ORDERS if order in BY_ORDER},
        "heads": {
            "layers": hover_heads(_layers(grid), LAYER),
            "checkpoints": hover_heads(columns, axis),
            "rows": hover_heads(table["name"].tolist(), rows),
            "columns": hover_heads(_layers(grid) if grid.of == "languages" else table["name"].tolist(), across),
        },
        "map": mapped.map_of(grid.languages),
        "hatch": _json(hatch(np.ones((1, 1), bool))),
        "measures": shown,
        "split": grid.is_split,
        "config": config(f"{grid.family.name} {grid.model.name}"),
    }


def _layers(grid: PairGrid) -> list[str]:
    return [str(layer) if layer >= 0 else "none" for layer in grid.layers]


def _means_over(grid: PairGrid, metric: int, columns: Sequence[str], measure: Measure, surveyed: Survey) -> Grid:
    """Return the means over all pairs by layer and checkpoint."""
    fields = {
        name: np.ascontiguousarray(surveyed.overall[name][metric], np.float32) for name in ("value", "low", "high", "sentences")
    }
    return Grid(
        fields["value"],
        tuple(_layers(grid)),
        tuple(columns),
        title=measure.title,
        low=fields["low"],
        high=fields["high"],
        n=fields["sentences"],
    )


def _look(metric: str, ends: Ends, drawn: Drawn) -> dict[str, Any]:
    """Return the colours of figures that are looked at one after the other: the same in all.

    A measure of shares has the scale from chance, or 0, to 1; any other none of its own.
    """
    level = MEASURES[metric].chance
    share = drawn.scale.low == 0 and drawn.scale.high == 1
    scale = (min(level or 0.0, ends[0]), max(1.0, ends[1])) if share else None
    apart = ends if ends[1] - ends[0] > 1e-6 else (ends[0] - 0.005, ends[1] + 0.005)
    range_, fitted = of_several([], apart, scale, None)
    return {"range": range_, "fitted": fitted, "form": f".{max(drawn.scale.decimals, 0)}f"}


def _colours(measure: Measure, look: dict[str, Any]) -> dict[str, Any]:
    """Return the colour axis of the map of a measure."""
    chance = None if look["fitted"] else measure.chance
    return mapped.colours(measure.axis, look["range"], chance, look["form"] if look["fitted"] else "")


def _over_layers(cells: Grid, measure: Measure, axis: str, **look: Any) -> go.Figure:
    return heatmap_of(
        cells,
        colour_title=measure.axis,
        row_title=LAYER,
        column_title=axis,
        chance=measure.chance,
        show_values=True,
        n_title=measure.counted,
        first_row="bottom",
        **look,
    )


def _blank(cells: Grid) -> Grid:
    return Grid(np.full(cells.values.shape, np.nan, np.float32), cells.row_labels, cells.column_labels, title=cells.title)


def _matrix(
    grid: PairGrid, ordered: tuple[dict[str, str], list[str] | None], measure: Measure, look: dict[str, Any]
) -> go.Figure:
    """Draw every pair of languages, the lower half where a pair has no direction, or languages by layer: without scores."""
    names, groups = ordered
    labels = tuple(names.values())
    columns = tuple(_layers(grid)) if grid.of == "languages" else labels
    empty = np.full((len(labels), len(columns)), np.nan, np.float32)
    cells = Grid(empty, labels, columns, title=measure.title, row_groups=None if groups is None else tuple(groups))
    rows, across = ENDS[grid.of]
    return heatmap_of(
        lower_half(cells) if grid.of == "pairs" else cells,
        colour_title=measure.axis,
        row_title=rows,
        column_title=across,
        chance=measure.chance,
        n_title=measure.counted,
        **look,
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
