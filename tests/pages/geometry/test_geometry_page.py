"""The Geometry page on the demo: each view draws the measure that is chosen, and says what its numbers are of."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
import pytest

from isogloss.backend.experiments.geometry.measures import KINDS
from tests.pages.opened import opened

MLM = "Demo MLM"


def drawn(page: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(page.get("plotly_chart")[0].proto.spec)
    return found


@pytest.mark.parametrize("view", ["Layers × checkpoints", "Curves", "Languages"])
@pytest.mark.parametrize("metric", ["mutual_knn", "effective_rank", "language_probe"])
def test_a_view_draws_the_measure_that_is_chosen(view: str, metric: str) -> None:
    page = opened("geometry", {"view": view, "model": [MLM], "geometry": KINDS[metric].named})
    assert KINDS[metric].measure.title in json.dumps(drawn(page)["layout"], ensure_ascii=False)
    captions = " ".join(each.value for each in page.caption)
    assert "n = 252 sentences" in captions
    assert ("Chance is k/(n − 1) = 0.040" in captions) == (metric == "mutual_knn")
    assert ("One of 10 languages" in captions) == (metric == "language_probe")


def test_pairs_show_a_measure_of_pairs_alone_and_both_halves_alike() -> None:
    page = opened("geometry", {"view": "Pairs", "model": [MLM], "geometry_of_pair": "CKA"})
    assert "Debiased linear CKA" in json.dumps(drawn(page)["layout"], ensure_ascii=False)
    (box,) = [each for each in page.selectbox if each.key == "geometry_of_pair"]
    assert box.options == [kind.named for kind in KINDS.values() if kind.of == "pair"]


def test_a_pivot_and_the_highest_layer_give_mexas_own_summary() -> None:
    """Pairs of English alone, the highest over layers: a number a language, none below its mean over layers."""
    query = {"view": "Languages", "model": [MLM], "geometry": "MEXA", "pairs": "Of one language", "centre": "English"}
    highest, mean = (opened("geometry", query | {"of_layers": each}) for each in ("Highest", "Mean"))
    one, other = (np.array(_cells(page), float) for page in (highest, mean))
    assert one.shape == other.shape
    assert np.nanmin(one - other) >= -1e-6
    assert np.nanmax(one - other) > 0


def test_what_is_not_computed_is_offered() -> None:
    page = opened("geometry", {"view": "Curves", "model": [MLM], "near": "5"})
    assert not page.get("plotly_chart")
    assert any("geometry not computed yet" in each.value for each in page.markdown)


def _cells(page: Any) -> Any:
    values = next(each for each in drawn(page)["data"] if each["type"] == "heatmap")["z"]
    if isinstance(values, dict):
        return np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"]).reshape(
            [int(each) for each in values["shape"].split(",")]
        )
    return values


@pytest.mark.parametrize(("metric", "of_pairs"), [("cka", True), ("anisotropy", False)])
def test_a_map_draws_each_language_and_asks_of_pairs_where_there_are_any(metric: str, of_pairs: bool) -> None:
    some = {} if of_pairs else {"pairs": "Of one language", "centre": "English"}  # a language's own score is of no pair
    page = opened("geometry", {"view": "Map", "model": [MLM], "geometry": KINDS[metric].named} | some)
    assert KINDS[metric].measure.title in json.dumps(drawn(page)["layout"], ensure_ascii=False)
    assert len(drawn(page)["data"][-1]["customdata"]) == 10
    assert ("map_groups" in {each.key for each in page.selectbox}) == of_pairs
