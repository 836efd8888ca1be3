"""Models side by side and relations in an atlas are those of the dashboard's Relations."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from isogloss.backend.atlas import publish
from isogloss.backend.atlas.grids import pair_grids
from isogloss.backend.atlas.related import MOST, chosen, rankings, related
from isogloss.backend.experiments.registry import MEASURES
from isogloss.backend.experiments.relations.correlations import overall
from isogloss.backend.experiments.relations.reading import Question, Reading
from isogloss.backend.experiments.relations.side_by_side import ranked
from isogloss.backend.settings import DEMO
from tests.atlas.atlas_workspace import fill, published
from tests.atlas.test_atlas_folder import data

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.atlas.grids import PairGrid

MODELS = ("Demo MLM", "Demo MLM + translation contrast")


@pytest.fixture(scope="module")
def grids() -> list[PairGrid]:
    """ABX and geometry of two models."""
    return [grid for grid in pair_grids([DEMO], MODELS) if grid.family.name in ("abx", "geometry")]


def test_ranks_are_those_of_relations(grids: list[PairGrid]) -> None:
    found = {each.label: each for each in rankings(grids, [DEMO])}
    assert len(found) == len({metric for grid in grids for metric in grid.metrics})
    for metric, title, role in (("abx_meaning", "Meaning discrimination", "both"), ("anisotropy", "Anisotropy", "itself")):
        (grid,) = (each for each in grids if metric in each.metrics and each.model.name == MODELS[0])
        measure = grid.measures[grid.metrics.index(metric)]
        models = {name: measure.scored(of) for name in MODELS if (of := measure.of(name))}
        reading = Reading(of=models[MODELS[0]], models=models, role=role)
        rows = ranked(Question(unit="model", readings={"m": reading}), [DEMO], {"m": MEASURES[metric].better})
        pd.testing.assert_frame_equal(found[title].rows.drop(columns="measure"), rows.drop(columns="measure"), check_like=True)


@pytest.mark.parametrize("unit", ["pair", "language"])
def test_a_scatter_says_the_correlations_of_relations(grids: list[PairGrid], unit: str) -> None:
    made = related(grids, [DEMO], MODELS[1], unit)
    assert made is not None
    own = {each.label: each for each in chosen([grid for grid in grids if grid.model.name == MODELS[1]], [DEMO])}
    titles = ["Language discrimination", "MEXA"]
    places = [made["measures"].index(title) for title in titles]
    readings = {}
    for place, title in zip(places, titles, strict=True):
        of = own[title].measure.of(MODELS[1])
        assert of is not None
        readings[str(place)] = Reading(of=own[title].measure.scored(of), role="both")
    x, y = sorted(readings, key=int)
    numbers = overall(Question(unit=unit, readings={x: readings[x], y: readings[y]}), [DEMO], x, y).set_index("statistic")
    said = json.dumps(made["scatters"][f"{x} {y}"]["layout"], ensure_ascii=False).replace("−", "-")
    for letter, statistic in (("r", "Pearson"), ("ρ", "Spearman")):
        value, low, high, p = (numbers.loc[statistic, name] for name in ("value", "low", "high", "p"))
        assert f"{statistic} {letter} = {value:.2f} [{low:.2f}, {high:.2f}], p = {p:.3f}" in said
    assert sorted(made["order"]) == sorted(set(made["order"]))
    assert len(made["measures"]) <= MOST


def test_every_two_measures_with_points_in_common_have_a_figure(grids: list[PairGrid]) -> None:
    made = related(grids, [DEMO], MODELS[0], "language")
    assert made is not None
    number = len(made["measures"])
    assert len(made["scatters"]) == number * (number - 1) // 2


def test_one_model_is_not_ranked_and_hostile_names_stay_harmless(tmp_path: Path) -> None:
    fill(tmp_path / "workspace")
    folder = published(publish.of_models([tmp_path / "workspace"]), tmp_path / "workspace", tmp_path / "site")
    assert not (folder / "models.html").exists()
    listed = data(folder, "relations")
    assert [each["unit"] for each in listed] == ["pair", "language"]
    for name in ("relations.html", "data/relations.js", "data/r0.js"):
        assert "<script>alert" not in (folder / name).read_text(encoding="utf-8")
    made = data(folder, listed[0]["data"])
    assert made["measures"] == ["Language discrimination", "Meaning discrimination", "Retrieval top-1"]
    assert set(made["scatters"]) == {"0 1", "0 2", "1 2"}
