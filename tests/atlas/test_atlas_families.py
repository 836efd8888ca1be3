"""The scores of every family in an atlas are those that Relations reads, and their means those of loops."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.backend.atlas import imported, publish
from isogloss.backend.atlas.grids import pair_grids
from isogloss.backend.atlas.named import told
from isogloss.backend.atlas.parts import over_all, over_languages
from isogloss.backend.atlas.quantised import Scale, codes
from isogloss.backend.experiments.on_a_map import on_a_map
from isogloss.backend.experiments.relations.cubes import files_of, squares_of
from isogloss.backend.experiments.relations.numbers import numbers_of
from isogloss.backend.experiments.relations.reading import Scored
from isogloss.backend.settings import DEMO
from isogloss.backend.settings import settings as settings_now
from isogloss.backend.store import scores
from tests.atlas.atlas_workspace import values

if TYPE_CHECKING:
    from isogloss.backend.atlas.grids import PairGrid


@pytest.fixture(scope="module")
def grids() -> list[PairGrid]:
    """Every grid of the demo."""
    return pair_grids([DEMO])


def test_every_family_with_a_model_in_the_library_is_there(grids: list[PairGrid]) -> None:
    assert {grid.family.name for grid in grids} == {"abx", "alignment", "geometry", "probing", "transfer", "tokenisers"}
    assert {grid.of for grid in grids} == {"pairs", "directed", "languages"}
    assert all(grid.files and grid.pairs and grid.layers for grid in grids)


def test_values_are_those_that_relations_reads(grids: list[PairGrid]) -> None:
    for grid in random.Random(1).sample(grids, 25):
        place = random.Random(2).randrange(len(grid.checkpoints))
        found = grid.values(place)["value"]
        for metric, measure in enumerate(grid.measures):
            of = measure.of(grid.model.name)
            assert of is not None
            squares = squares_of(measure.scored(of), [DEMO])
            at = squares.checkpoints.index(grid.checkpoints[place].fingerprint)
            for pair, (one, other) in enumerate(grid.pairs):
                for layer, own in enumerate(grid.layers):
                    if own not in squares.layers or not {one, other} <= set(squares.names):
                        assert np.isnan(found[metric, layer, pair])
                        continue
                    row, column = squares.names.index(one), squares.names.index(other)
                    relations = squares.values[at, squares.layers.index(own), row, column]
                    assert found[metric, layer, pair] == pytest.approx(relations, nan_ok=True, abs=0)


def test_means_over_languages_are_those_of_the_map(grids: list[PairGrid]) -> None:
    for grid in random.Random(3).sample(grids, 12):
        found = grid.values(0)
        means = over_languages(found, grid)
        columns = {name: found[name][0, -1] for name in ("value", "low", "high")}
        rows = pd.DataFrame(grid.pairs, columns=["source", "target"]).assign(**columns)
        apart = rows if grid.of == "languages" else rows[rows["source"] != rows["target"]]
        marks = on_a_map(apart, languages=grid.languages, directed=grid.of == "directed")
        for name in columns:
            np.testing.assert_allclose(means[name][0, -1], marks[name].to_numpy(float), rtol=1e-12)
        assert means["n"][0, -1].tolist() == marks["pairs"].tolist()


def test_the_mean_over_all_is_that_of_a_loop(grids: list[PairGrid]) -> None:
    for grid in random.Random(4).sample(grids, 12):
        found = grid.values(len(grid.checkpoints) - 1)
        overall = over_all(found, grid)
        for metric in range(len(grid.metrics)):
            for layer in range(len(grid.layers)):
                kept = [
                    (found["value"][metric, layer, at], found["n"][metric, layer, at])
                    for at, (one, other) in enumerate(grid.pairs)
                    if grid.of == "languages" or one != other
                ]
                known = [value for value, _ in kept if value == value]
                assert overall["n"][metric, layer] == len(known)
                mean = sum(known) / len(known) if known else float("nan")
                assert overall["value"][metric, layer] == pytest.approx(mean, nan_ok=True)


def seeded(folder: Path, rows: list[dict[str, object]], seed: int | None, run: str) -> None:
    common = {"model": "M", "corpus": "c" * 24, "checkpoint": "f" * 24, "variant": "v", "seed": seed}
    said = {"fingerprint": "f" * 24, "corpus": "c" * 24, "variant": "v", "pairs": [["a", "b"]]}
    scores.write(folder, "alignment", run, scores.table(rows, run=run, family="alignment", **common), said)


def test_an_interval_is_of_a_kept_mean_or_of_one_seed_alone(tmp_path: Path) -> None:
    row = {"metric": "cosine_random", "layer": 1, "source": "a", "target": "b"}
    for seed, value in ((0, 0.2), (1, 0.4)):
        own = row | {"value": value, "low": value - 0.1, "high": value + 0.1, "n": 10 + seed}
        alone = own | {"layer": 2}
        kept = own | {"layer": 3}
        seeded(tmp_path, [own, kept, *([alone] if seed else [])], seed, str(seed) * 24)
    seeded(tmp_path, [row | {"layer": 3, "value": 0.35, "low": 0.3, "n": 99}], None, "e" * 24)
    of = Scored(
        experiment="alignment", metric="cosine_random", corpus="c" * 24, variant="v", checkpoints=("f" * 24,), steps=(None,)
    )
    found = numbers_of(of, files_of([tmp_path]))
    at = {name: [each[layer, 0, 1] for layer in range(3)] for name, each in found.fields.items()}
    assert found.layers == (1, 2, 3)
    assert at["value"] == pytest.approx([0.3, 0.4, 0.35])
    assert at["low"] == pytest.approx([np.nan, 0.3, 0.3], nan_ok=True)
    assert at["high"] == pytest.approx([np.nan, 0.5, np.nan], nan_ok=True)
    assert at["n"] == pytest.approx([10, 11, 99])


@settings(deadline=None)
@given(st.lists(st.floats(-1e7, 1e7), min_size=2, max_size=20))
def test_a_wide_scale_reads_alike_in_the_decimals_that_it_has(numbers: list[float]) -> None:
    exact = np.float32(numbers).astype(float)
    scale = Scale(float(exact.min()), max(float(exact.max()), float(exact.min()) + 1e-3))
    found = values(codes(exact, scale), scale)
    assert np.abs(found - exact).max() <= scale.step * 1.001
    assert scale.step <= 10.0**-scale.decimals


def test_no_list_has_a_raw_variant_in_it(grids: list[PairGrid]) -> None:
    for each in told(grids, [DEMO]):
        assert "/" not in each.label
        assert "/" not in each.said
        assert "9c9ae6" not in each.label  # the corpus tested on has a name
    labels = [(grid.family.name, grid.model.name, each.label) for grid, each in zip(grids, told(grids, [DEMO]), strict=True)]
    assert len(set(labels)) == len(labels)


def test_what_is_published_of_all_families_is_imported(tmp_path: Path, workspace: Path, grids: list[PairGrid]) -> None:
    model = "Demo MLM + translation contrast"
    content = publish.with_said(publish.of_models([DEMO], model), "", "", [], exact=True)
    publish.publish(content, [DEMO], tmp_path / "site", lambda *_: None)
    kept = imported.take(tmp_path / "site", workspace)
    again, own = (
        sorted((grid for grid in of if grid.model.name == model), key=lambda grid: (grid.family.name, grid.protocol, grid.of))
        for of in (pair_grids(settings_now().workspaces), grids)
    )
    assert kept.files == len({file.path for grid in own for file in grid.files})
    assert [(one.family.name, one.protocol, one.pairs) for one in again] == [
        (one.family.name, one.protocol, one.pairs) for one in own
    ]
    for one, other in zip(own, again, strict=True):
        np.testing.assert_array_equal(one.values(0)["value"], other.values(0)["value"])
