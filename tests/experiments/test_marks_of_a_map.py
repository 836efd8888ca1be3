"""The marks of a map against loops over the pairs, and against the numbers that other views have of the same scores."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest

from isogloss.backend.corpora.languages.facts import facts
from isogloss.backend.experiments.abx import queries as abx
from isogloss.backend.experiments.geometry import queries as geometry
from isogloss.backend.experiments.on_a_map import MOST_LINES, of_languages, on_a_map
from isogloss.backend.metrics.clusters import clusters
from isogloss.backend.store import scores
from tests.pages.abx.abx_page import DEMO

TAGS = ["de", "en", "fi", "hi", "qaa", "zh"]


def pairs(seed: int, *, directed: bool = False, lacking: float = 0.2) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    ends = itertools.permutations(TAGS, 2) if directed else itertools.combinations(TAGS, 2)
    rows = pd.DataFrame(ends, columns=["source", "target"])
    value = np.where(random.random(len(rows)) < lacking, np.nan, random.random(len(rows)))
    return rows.assign(value=value, low=value - 0.1, high=np.where(value > 0.5, value + 0.1, np.nan))


def of_pair(rows: pd.DataFrame, one: str, other: str, name: str) -> float:
    own = [row[name] for row in rows.to_dict("records") if {row["source"], row["target"]} == {one, other}]
    known = [each for each in own if each == each]
    return sum(known) / len(known) if known else math.nan


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("to", [None, "en"])
def test_a_language_has_the_mean_of_its_pairs_or_its_score_with_one(seed: int, directed: bool, to: str | None) -> None:
    rows = pairs(seed, directed=directed)
    found = on_a_map(rows, languages=TAGS, to=to).set_index("source")
    for tag in TAGS:
        others = [each for each in ([to] if to else TAGS) if each != tag]
        for name in ("value", "low", "high"):
            known = [value for each in others if (value := of_pair(rows, tag, each, name)) == value]
            expected = sum(known) / len(known) if known else math.nan
            assert found[name][tag] == pytest.approx(expected, nan_ok=True)
            assert name != "value" or found["pairs"][tag] == len(known)
        assert found["target"][tag] == (to or "")
        latitude = facts(tag).latitude
        place = math.nan if latitude is None else latitude
        assert found["latitude"][tag] == pytest.approx(place, nan_ok=True)
    assert math.isnan(found["longitude"]["qaa"])  # there, though no place of it is known


@pytest.mark.parametrize("apart", [True, False])
def test_groups_are_the_clusters_of_the_pairs(apart: bool) -> None:
    rows = pairs(3, lacking=0.0)
    square = [[of_pair(rows, one, other, "value") for other in TAGS] for one in TAGS]
    found = on_a_map(rows, languages=TAGS, groups=3, apart=apart)
    assert found["group"].tolist() == clusters(np.array(square) * (1 if apart else -1), 3).tolist()
    assert found["group"].nunique() == 3
    assert on_a_map(rows, languages=TAGS)["group"].tolist() == [1] * len(TAGS)


@pytest.mark.parametrize(("joined", "sign"), [("at least", 1), ("at most", -1)])
def test_pairs_at_the_threshold_and_beyond_are_joined_the_furthest_first(joined: str, sign: int) -> None:
    rows = pairs(5)
    threshold = float(rows["value"].dropna().median())
    found = on_a_map(rows, languages=TAGS, joined=joined, threshold=threshold)  # type: ignore[arg-type]
    lines = found[found["mark"] == "pair"]
    known = zip(rows["value"], rows["source"], rows["target"], strict=True)
    kept = [(value, one, other) for value, one, other in known if value * sign >= threshold * sign]
    expected = sorted(kept, key=lambda row: -sign * row[0])
    assert list(zip(lines["value"], lines["source"], lines["target"], strict=True)) == expected
    assert set(on_a_map(rows, languages=TAGS)["mark"]) == {"language"}


def test_no_more_lines_than_can_be_told_apart() -> None:
    tags = [f"q{a}{b}" for a, b in itertools.product("abcdefg", "abcdef")]
    rows = pd.DataFrame(itertools.combinations(tags, 2), columns=["source", "target"]).assign(value=0.5)
    found = on_a_map(rows, languages=tags, joined="at least", threshold=0.5)
    assert len(rows) > MOST_LINES == (found["mark"] == "pair").sum()


def test_a_measure_of_languages_alone_is_that_of_the_pair_with_itself() -> None:
    rows = pd.DataFrame({"source": ["de", "en"], "target": ["de", "en"], "value": [1.0, 2.0]})
    found = on_a_map(rows, languages=["de", "en", "fi"], groups=4)
    assert found["value"].tolist()[:2] == [1.0, 2.0]
    assert found["group"].tolist() == [0, 0, 0]


def test_each_layer_is_a_map_and_languages_that_are_not_chosen_count_for_nothing() -> None:
    rows = pd.concat([pairs(seed).assign(layer=seed) for seed in (4, 2)])
    few = ["de", "en", "zh"]
    found = on_a_map(rows, languages=few, each="layer", groups=2, joined="at least", threshold=0.1)
    assert found["layer"].unique().tolist() == [4, 2]
    for layer in (4, 2):
        own = rows[(rows["layer"] == layer) & rows["source"].isin(few) & rows["target"].isin(few)]
        alone = on_a_map(own, languages=few, groups=2, joined="at least", threshold=0.1)
        pd.testing.assert_frame_equal(found[found["layer"] == layer].drop(columns="layer").reset_index(drop=True), alone)


def test_nothing_is_no_score_of_any_language() -> None:
    nothing = pd.DataFrame({"source": [], "target": [], "value": []})
    assert on_a_map(nothing, languages=TAGS, groups=3)["value"].isna().all()
    assert list(on_a_map(nothing, languages=[])["mark"]) == []


def test_means_are_those_of_the_view_of_languages() -> None:
    shards = scores.shards([DEMO], "abx")
    files, chosen = [each.path for each in shards], str(shards[0].provenance["fingerprint"])
    tags = sorted(shards[0].provenance["languages"])
    for metric in ("abx_language", "abx_meaning", "retrieval_top1"):
        read = geometry.of_pairs_by_layer(files, tags, [chosen], [1, 3], metric)
        found = on_a_map(read, languages=tags, each="layer")
        other = abx.by_language_and_layer(files, tags, [chosen])
        other = other[(other["metric"] == metric) & other["layer"].isin([1, 3])]
        assert len(found) == len(other) == 2 * len(tags)
        both = found.merge(other, left_on=["layer", "source"], right_on=["layer", "language"], suffixes=("", "_there"))
        for name in ("value", "low", "high"):
            np.testing.assert_allclose(both[name], both[f"{name}_there"], atol=1e-9)


@pytest.mark.parametrize("layers", [[2], [0, 3]])
def test_pairs_of_layers_are_those_of_the_matrix(layers: list[int]) -> None:
    shards = scores.shards([DEMO], "abx")
    files, chosen = [each.path for each in shards], str(shards[0].provenance["fingerprint"])
    tags = sorted(shards[0].provenance["languages"])
    matrix = abx.pairs(files, tags, [chosen], layers)
    for name in ("language", "meaning"):
        own = geometry.of_pairs(files, tags, [chosen], layers, abx.SCORES[name])
        for part, column in (("value", name), ("low", f"{name}_low"), ("high", f"{name}_high")):
            np.testing.assert_allclose(own[part], matrix[column], atol=1e-9)


def test_a_directed_score_is_of_its_source() -> None:
    rows = pairs(1, directed=True, lacking=0.0)
    value = {(row["source"], row["target"]): row["value"] for row in rows.to_dict("records")}
    to_english = on_a_map(rows, languages=TAGS, to="en", directed=True, groups=3).set_index("source")
    means = on_a_map(rows, languages=TAGS, directed=True).set_index("source")
    for tag in TAGS:
        assert to_english["value"][tag] == pytest.approx(value.get((tag, "en"), math.nan), nan_ok=True)
        assert means["value"][tag] == pytest.approx(np.mean([value[tag, other] for other in TAGS if other != tag]))
    assert set(to_english["group"]) == {1}


def test_a_measure_of_languages_of_another_table_is_a_map_too() -> None:
    table = pd.DataFrame({"language": ["de", "en"], "x": [0.25, 0.75], "y": [1.0, 2.0]})
    assert on_a_map(of_languages(table, "x"), languages=["de", "en"])["value"].tolist() == [0.25, 0.75]
