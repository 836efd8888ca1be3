"""A kept recipe is turned to another layer where it reads one, and left alone where it does not."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from isogloss.backend.boards.layers import at_layer, layer_of, named_at
from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.experiments.abx import queries
from isogloss.backend.experiments.frames import files_of, rows_with
from isogloss.backend.figures.abx import layers_by_checkpoints

READ = partial(files_of, workspaces=[], family="abx", shards=[])
CHART = partial(layers_by_checkpoints, layers=(4,), columns={"a": "1"}, column_title="Step", title="M, layer 4 of 40")


@pytest.mark.parametrize(("layers", "other"), [(4, 5), ([4], [5]), ((4,), (5,))])
def test_one_layer_is_turned_wherever_it_is_named(layers: Any, other: Any) -> None:
    kept = Recipe((READ, partial(rows_with, layer=layers, n=[4])), CHART).to_json()
    assert layer_of(kept) == 4
    turned = Recipe.from_json(at_layer(kept, 5), [])
    assert turned.chart is not None
    assert turned.calls[1].keywords == {"layer": other, "n": [4]}
    assert (turned.chart.keywords["layers"], turned.chart.keywords["title"]) == ((5,), "M, layer 5 of 40")
    assert at_layer(at_layer(kept, 5), 4) == kept


@pytest.mark.parametrize("layers", [[4, 5], [], ["4"], [True]])
def test_several_layers_and_none_stay(layers: list[object]) -> None:
    kept = Recipe((READ, partial(rows_with, layer=layers), partial(queries.grid, languages=["de"]))).to_json()
    assert layer_of(kept) is None
    assert at_layer(kept, 5) == kept


def test_a_name_says_the_layer() -> None:
    assert named_at("M layer 4 pairs, layer 40", 4, 5) == "M layer 5 pairs, layer 40"
