"""Two hundred views, drawn over all families: what an atlas writes of each reads as the dashboard has it."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import isogloss
from isogloss.backend.atlas.grids import pair_grids
from isogloss.backend.atlas.parts import Drawn, parts_of, survey
from isogloss.backend.experiments.registry import MEASURES
from isogloss.backend.experiments.relations.cubes import squares_of
from isogloss.backend.settings import DEMO
from tests.atlas.atlas_workspace import bound, layered, unpacked, values

if TYPE_CHECKING:
    from isogloss.backend.atlas.grids import PairGrid

VIEWS, GRIDS = 200, 24


def drawn_grids() -> list[PairGrid]:
    """A sample of the demo's grids with each family, of each kind that it has scores of."""
    every = pair_grids([DEMO])
    random.Random(7).shuffle(every)
    first = {(grid.family.name, grid.of): grid for grid in reversed(every)}
    others = [grid for grid in every if all(grid is not each for each in first.values())]
    return [*first.values(), *others[: GRIDS - len(first)]]


class Read:
    """What is read off the data of a checkpoint of an atlas, after its way through JSON."""

    def __init__(self, grid: PairGrid, checkpoint: int, drawn: dict[str, Drawn]) -> None:
        (part,) = json.loads(json.dumps(parts_of(grid, checkpoint, drawn)))
        own, shape = part["scores"], (len(grid.metrics), len(grid.layers))
        self.codes = layered(own["values"], shape)
        self.apart = unpacked(own["bounds"]).reshape(shape[0], 2, shape[1], -1)
        which = unpacked(own["which"]).reshape(*shape, -1) if "which" in own else np.zeros(self.codes.shape, int)
        self.n = np.array(own["n"])[which]


def of_one_row(grid: PairGrid, checkpoint: int, metric: str, layer: int) -> dict[tuple[str, str], Any]:
    """The row of each pair that has one row alone in the table of scores: over seeds nothing is to be averaged."""
    measure = grid.measures[grid.metrics.index(metric)]
    label = grid.checkpoints[checkpoint].label
    found = isogloss.scores(metric, model=grid.model.name, checkpoint=label, corpus=grid.corpus.id, own=False)
    found = found[(found["layer"].fillna(-1) == layer) & (found["variant"] == measure.variant)]
    by_pair: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for row in found.to_dict("records"):
        ends = row["source"], row["target"] or row["source"]
        by_pair[min(ends, ends[::-1]) if grid.of == "pairs" else ends].append(row)
    return {pair: rows[0] for pair, rows in by_pair.items() if len(rows) == 1}


def test_two_hundred_views_read_as_on_the_dashboard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    grids = drawn_grids()
    assert len({grid.family.name for grid in grids}) == 6
    surveys = [survey(grid).drawn for grid in grids]
    draw, read, squares = random.Random(27), {}, {}
    numbers = intervals = missing = 0
    for _ in range(VIEWS):
        place = draw.randrange(len(grids))
        grid, drawn = grids[place], surveys[place]
        checkpoint, layer, m = (draw.randrange(len(each)) for each in (grid.checkpoints, grid.layers, grid.metrics))
        metric, scale = grid.metrics[m], drawn[grid.metrics[m]].scale
        if (place, checkpoint) not in read:
            read[place, checkpoint] = Read(grid, checkpoint, drawn)
        if (place, m) not in squares:
            of = grid.measures[m].of(grid.model.name)
            assert of is not None
            squares[place, m] = squares_of(grid.measures[m].scored(of), [DEMO])
        there, app, rows = read[place, checkpoint], squares[place, m], of_one_row(grid, checkpoint, metric, grid.layers[layer])
        at = app.checkpoints.index(grid.checkpoints[checkpoint].fingerprint)
        for pair, ends in enumerate(grid.pairs):
            code = there.codes[m, layer, pair]
            exact = np.nan
            if grid.layers[layer] in app.layers and set(ends) <= set(app.names):
                exact = app.values[at, app.layers.index(grid.layers[layer]), *(app.names.index(tag) for tag in ends)]
            if np.isnan(exact):
                missing += 1
                assert np.isnan(values(code, scale))
                continue
            numbers += 1
            assert scale.read(float(values(code, scale))) == scale.read(float(np.float32(exact))), (grid.family.name, metric)
            if (row := rows.get(ends)) is None:
                continue
            assert np.float32(row["value"]) == np.float32(exact)
            for end, (name, sign) in enumerate((("low", -1), ("high", 1))):
                shown = bound(int(code), int(there.apart[m, end, layer, pair]), sign, scale)
                assert np.isnan(shown) == np.isnan(row[name])
                if not np.isnan(shown):
                    intervals += 1
                    assert scale.read(shown) == scale.read(float(np.float32(row[name])))
            if MEASURES[metric].counted:
                assert there.n[m, layer, pair] == row["n"]
    assert (numbers > 3000, intervals > 3000, missing > 0) == (True, True, True), (numbers, intervals, missing)
