"""Ranked transfer directions against pairs counted one by one, in plain loops over dictionaries."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.backend.experiments.transfer import ranking as ranked

Directions = dict[tuple[str, str], float]
TAGS = ("ar", "de", "en", "zh")
NUMBERS = st.one_of(st.integers(0, 4).map(float), st.just(math.nan))
ANY = st.dictionaries(st.tuples(st.sampled_from(TAGS), st.sampled_from(TAGS)), NUMBERS)


def frame(directions: Directions, column: str = "value") -> pd.DataFrame:
    rows = [(source, target, value) for (source, target), value in directions.items()]
    found = pd.DataFrame(rows, columns=["source", "target", column])
    return found.astype({"source": object, "target": object, column: float})


def by_hand(gold: Directions, scores: dict[str, Directions], fixed: str) -> dict[tuple[str, str], tuple[float, int]]:
    """(score, language) → accuracy and how many directions were compared."""
    known = [ends for ends in gold if ends[0] != ends[1] and not math.isnan(gold[ends])]
    for each in scores.values():
        known = [ends for ends in known if ends in each and not math.isnan(each[ends])]
    end = 0 if fixed == "source" else 1
    found: dict[tuple[str, str], tuple[float, int]] = {}
    for name, each in scores.items():
        accuracies = []
        for language in {ends[end] for ends in gold if ends[0] != ends[1]}:
            own = [ends for ends in known if ends[end] == language]
            right = sum(
                (gold[a] > gold[b] and each[a] > each[b]) or (gold[a] < gold[b] and each[a] < each[b])
                for a, b in combinations(own, 2)
            )
            count = len(own) * (len(own) - 1) // 2
            found[name, language] = (float(Fraction(right, count)) if count else math.nan), len(own)
            accuracies += [right / count] if count else []
        mean = sum(accuracies) / len(accuracies) if accuracies else math.nan
        found[name, "average"] = mean, len(known)
    return found


@settings(max_examples=60)
@given(ANY, st.dictionaries(st.sampled_from(["IGap", "L2", "value"]), ANY, max_size=3), st.sampled_from(["source", "target"]))
def test_it_is_what_plain_loops_count(gold: Directions, scores: dict[str, Directions], fixed: ranked.Fixed) -> None:
    found = ranked.ranking(frame(gold, "accuracy"), {name: frame(each) for name, each in scores.items()}, fixed)
    wanted = by_hand(gold, scores, fixed)
    assert len(found) == len(wanted)
    assert list(found.columns) == ["score", "language", "value", "directions"]
    for row in found.itertuples():
        value, directions = wanted[row.score, row.language]
        assert row.value == pytest.approx(value, nan_ok=True)
        assert row.directions == directions


def every(value: dict[str, float], source: str = "en") -> Directions:
    return {(source, target): each for target, each in value.items()}


def test_ties_are_not_concordant_and_each_score_has_its_own_share() -> None:
    gold = frame(every({"ar": 0.5, "de": 0.8, "zh": 0.6, "fr": 0.8}), "accuracy")
    scores = {
        "right": frame(every({"ar": 1, "de": 4, "zh": 2, "fr": 3})),
        "tied": frame(every({"ar": 1, "de": 1, "zh": 1, "fr": 1})),
        "wrong": frame(every({"ar": 4, "de": 1, "zh": 3, "fr": 2})),
    }
    found = ranked.ranking(gold, scores, "source").set_index(["score", "language"])["value"]
    assert found["right", "en"] == pytest.approx(5 / 6)  # de and fr tie in the gold
    assert found["tied", "en"] == found["wrong", "en"] == 0
    assert found["right", "average"] == pytest.approx(5 / 6)


def test_all_scores_are_compared_on_the_directions_that_all_have() -> None:
    gold = frame(every({"ar": 3, "de": 2, "zh": 1}), "accuracy")
    whole, part = frame(every({"ar": 3, "de": 1, "zh": 2})), frame(every({"ar": 2, "zh": 1, "sw": 9}))
    alone = ranked.ranking(gold, {"whole": whole}, "source")
    assert alone["value"].tolist() == pytest.approx([2 / 3, 2 / 3])
    both = ranked.ranking(gold, {"whole": whole, "part": part}, "source")
    assert both["value"].tolist() == [1, 1, 1, 1]
    assert both["directions"].tolist() == [2, 2, 2, 2]


def test_one_language_at_the_other_end_has_no_ranking() -> None:
    gold = frame({("en", "de"): 0.7, ("de", "en"): 0.8, ("en", "en"): 0.9}, "accuracy")
    found = ranked.ranking(gold, {"x": frame({("en", "de"): 1, ("de", "en"): 2})}, "source")
    assert found["language"].tolist() == ["de", "en", "average"]
    assert found["value"].isna().all()
    assert found["directions"].tolist() == [1, 1, 2]
    assert ranked.ranking(frame({}, "accuracy"), {"x": frame({})}, "source")["directions"].tolist() == [0]


def test_two_models_at_once_are_refused() -> None:
    gold = frame({("en", "de"): 1, ("en", "zh"): 2}, "accuracy")
    with pytest.raises(ValueError, match="one model at a time"):
        ranked.ranking(pd.concat([gold, gold]), {"x": frame({("en", "de"): 1})}, "source")


def similarity(values: dict[tuple[str, int, str, str], float]) -> pd.DataFrame:
    return pd.DataFrame(
        [(*key, value) for key, value in values.items()], columns=["metric", "layer", "source", "target", "value"]
    )


METRICS = ("vectors_l2", "vectors_dot", "vectors_cosine", "vectors_top1")


def test_predictions_are_higher_for_better_transfer_in_both_directions() -> None:
    rows = similarity(
        {(metric, layer, "de", "en"): place + 10 * layer for layer in (0, 1) for place, metric in enumerate(METRICS, 1)}
    )
    igap = frame({("de", "en"): 0.1, ("en", "de"): 0.3, ("de", "zh"): math.nan})
    found = ranked.predictions(igap, rows, 1)
    assert tuple(found) == ranked.SCORES
    numbers = {name: {(row.source, row.target): row.value for row in each.itertuples()} for name, each in found.items()}
    both = (("de", "en"), ("en", "de"))
    assert numbers["L2"] == dict.fromkeys(both, -11.0)
    assert numbers["Dot"] == dict.fromkeys(both, 12.0)
    assert numbers["Cos"] == dict.fromkeys(both, 13.0)
    assert {ends: numbers["IGap"][ends] for ends in both} == {both[0]: -0.1, both[1]: -0.3}
    assert np.isnan(numbers["IGap"]["de", "zh"])


def test_what_is_not_there_predicts_nothing() -> None:
    rows = similarity({("vectors_l2", 1, "de", "en"): 1.0})
    assert list(ranked.predictions(frame({("de", "en"): math.nan}), rows, 1)) == ["L2"]
    assert list(ranked.predictions(frame({("de", "en"): 0.0}), rows, 2)) == ["IGap"]
    assert not ranked.predictions(frame({}), similarity({}), 0)


@given(st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=2), min_size=1, max_size=6))
def test_the_best_aligned_layer_is_the_lowest_of_those_with_the_highest_mean(found: list[list[int]]) -> None:
    values = {}
    for layer, (one, other) in enumerate(found):
        values["vectors_top1", layer, "de", "en"] = one / 3
        values["vectors_top1", layer, "de", "zh"] = other / 3
        values["vectors_cosine", layer, "de", "en"] = float(layer)
    best = 0
    for layer, (one, other) in enumerate(found):
        if one + other > sum(found[best]):
            best = layer
    assert ranked.best_aligned_layer(similarity(values).sample(frac=1, random_state=1)) == best


def test_no_retrieval_no_best_layer() -> None:
    for values in ({}, {("vectors_cosine", 1, "de", "en"): 1.0}, {("vectors_top1", 1, "de", "en"): math.nan}):
        with pytest.raises(ValueError, match="vectors_top1"):
            ranked.best_aligned_layer(similarity(values))


@pytest.mark.parametrize(
    ("tags", "others", "found"),
    [
        (["en", "zh"], ["zh", "zh-Hant", "en"], {"en": "en", "zh": "zh"}),
        (["pt", "en"], ["pt-BR", "en"], {"pt": "pt-BR", "en": "en"}),
        (["pt"], ["pt-BR", "pt-AO"], {}),  # which of them is not ours to say
        (["pt-BR", "pt-AO"], ["pt"], {}),
        (["pt-BR", "pt"], ["pt"], {"pt": "pt"}),
        (["pt-BR", "pt"], ["pt", "pt-AO"], {"pt-BR": "pt-AO", "pt": "pt"}),
        (["de"], ["en"], {}),
    ],
)
def test_languages_are_found_under_another_corpus_s_tags(tags: list[str], others: list[str], found: dict[str, str]) -> None:
    assert ranked.counterparts(tags, others) == found


def test_languages_are_renamed_and_those_without_a_name_go() -> None:
    rows = frame({ends: float(place) for place, ends in enumerate(product(("de", "pt-BR", "sw"), repeat=2))})
    found = ranked.rename_ends(rows, {"de": "de", "pt-BR": "pt"})
    assert list(found.itertuples(index=False, name=None)) == [
        ("de", "de", 0),
        ("de", "pt", 1),
        ("pt", "de", 3),
        ("pt", "pt", 4),
    ]
