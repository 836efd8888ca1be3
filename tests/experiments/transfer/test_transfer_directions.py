"""Asymmetry, best sources and their ranking against plain loops, with ties, gaps and missing directions."""

from __future__ import annotations

import math
import statistics
from itertools import product

import numpy as np
import pandas as pd
import pytest

from isogloss.backend.experiments.transfer import directions
from isogloss.backend.experiments.transfer import summary as transfer_summary

BY = ["model"]
NAN = float("nan")


def matrix(values: dict[str, float], model: str = "m") -> pd.DataFrame:
    """`{"en>de": 0.1}` as directions."""
    return pd.DataFrame(
        [(model, *way.split(">"), value) for way, value in values.items()], columns=["model", "source", "target", "value"]
    )


def errors(seeds: int = 3, sources: tuple[str, ...] = ("de", "en", "zh")) -> pd.DataFrame:
    """Two models, two learning rates, a few steps; the last two have a training error of zero."""
    random = np.random.default_rng(5)
    rows = []
    for model, source, rate, seed in product(("m", "o"), sources, (1e-5, 2e-5), range(seeds)):
        for step in range(1, 6):
            train = max(0, 4 - step) / 10
            own = random.integers(1, 20) / 50
            for target in ("de", "en", "zh"):
                inter = 0 if target == source else random.integers(0, 30) / 100
                error = own if target == source else random.integers(5, 40) / 50
                run = f"{model}{source}{rate}{seed}"
                rows.append((model, run, source, step, step, target, train, train + inter, error, own, 100, 50, 40, rate, seed))
    columns = [
        "model",
        "run",
        "source",
        "step",
        "epoch",
        "target",
        "train_error",
        "translated_error",
        "target_error",
        "source_error",
        "n",
        "n_target",
        "n_source",
        "learning_rate",
        "seed",
    ]
    return pd.DataFrame(rows, columns=columns)


def test_asymmetry_is_the_way_there_less_the_way_back() -> None:
    given = matrix({"en>de": 0.3, "de>en": 0.1, "en>zh": 0.2, "zh>en": NAN, "de>zh": 0.5, "en>en": 0.0})
    found = directions.asymmetry(given, BY).set_index(["source", "target"])
    assert sorted(found.index) == [("de", "en"), ("en", "de")]  # one way alone, or nan, is no asymmetry
    assert found.loc[("en", "de"), "value"] == pytest.approx(0.2)
    assert found.loc[("de", "en"), "value"] == pytest.approx(-0.2)
    assert found.loc[("en", "de"), ["forth", "back"]].tolist() == [0.3, 0.1]


def test_asymmetry_keeps_models_apart() -> None:
    both = pd.concat([matrix({"en>de": 0.3, "de>en": 0.1}), matrix({"en>de": 0.9}, "o")])
    assert set(directions.asymmetry(both, BY)["model"]) == {"m"}


def test_a_difference_needs_both_models() -> None:
    both = pd.concat([matrix({"en>de": 0.3, "en>zh": NAN, "de>zh": 0.4}), matrix({"en>de": 0.1, "en>zh": 0.2}, "o")])
    found = directions.difference(both, BY, ["m"], ["o"])
    assert found[["source", "target"]].values.tolist() == [["en", "de"]]
    assert found.loc[0, ["first", "second", "value"]].tolist() == pytest.approx([0.3, 0.1, 0.2])
    assert directions.difference(both, BY, ["o"], ["m"])["value"].iloc[0] == pytest.approx(-0.2)


def test_the_best_source_is_not_the_target_itself_and_ties_are_all_best() -> None:
    given = matrix({"de>de": 0.0, "en>de": 0.3, "zh>de": 0.1 + 0.2, "fr>de": 0.4, "en>zh": NAN})
    lowest = directions.best(given, BY, higher=False)
    assert sorted(lowest["source"]) == ["en", "zh"]
    assert set(lowest["target"]) == {"de"}
    assert list(directions.best(given, BY, higher=True)["source"]) == ["fr"]


def wilson_by_roots(share: float, n: int) -> tuple[float, float]:
    """The least and the greatest true share that 1.96 of its own standard errors part from `share`, by halving."""

    def end(inside: float, outside: float) -> float:
        for _ in range(60):
            middle = (inside + outside) / 2
            near = abs(share - middle) <= 1.959963984540054 * math.sqrt(middle * (1 - middle) / n)
            inside, outside = (middle, outside) if near else (inside, middle)
        return inside

    return end(share, 0.0), end(share, 1.0)


def difference_by_roots(one: float, n: int, other: float, n_other: int) -> tuple[float, float]:
    """Of one share less another: the distances to the ends add up as those of independent errors do (Newcombe's method 10)."""
    return newcombe((one, *wilson_by_roots(one, n)), (other, *wilson_by_roots(other, n_other)))


def newcombe(one: tuple[float, float, float], other: tuple[float, float, float]) -> tuple[float, float]:
    (p, low, high), (q, q_low, q_high) = one, other
    return p - q - math.sqrt((p - low) ** 2 + (q_high - q) ** 2), p - q + math.sqrt((high - p) ** 2 + (q - q_low) ** 2)


@pytest.mark.parametrize("measure", ["igap", "accuracy", "gap"])
@pytest.mark.parametrize("seeds", [1, 3])
def test_sources_against_plain_loops(measure: directions.Measure, seeds: int) -> None:
    given = errors(seeds)
    found = directions.sources(given, BY, measure, 0.0, 0.001)
    assert len(found) == 2 * 3 * 2
    chosen = transfer_summary.accuracies(given, BY).set_index(["model", "source", "target"])["learning_rate"]
    for row in found.itertuples():
        own = given[(given["model"] == row.model) & (given["source"] == row.source) & (given["target"] == row.target)]
        if measure == "igap":
            own = own[own["train_error"] == 0]
            least = own.loc[own["translated_error"].idxmin()]
            ends = difference_by_roots(least["translated_error"], 100, 0.0, 100)
            values = [(part["translated_error"] - part["train_error"]).min() for _, part in own.groupby("seed")]
            value, runs = min(values), 2 * seeds
        else:
            own = own[(own["step"] == 5) & (own["learning_rate"] == chosen[row.model, row.source, row.target])]
            values = list(1 - own["target_error"] if measure == "accuracy" else own["target_error"] - own["source_error"])
            value, runs = statistics.mean(values), seeds
            error, source_error = (statistics.mean(own[name]) for name in ("target_error", "source_error"))
            ends = wilson_by_roots(1 - error, 50) if measure == "accuracy" else difference_by_roots(error, 50, source_error, 40)
        assert (row.low, row.high) == pytest.approx(ends, abs=1e-9)
        assert row.n == (100 if measure == "igap" else 50)
        assert row.value == pytest.approx(value)
        assert (row.runs, row.seeds) == (runs, seeds)
        spread = statistics.stdev(values) if seeds > 1 else NAN
        assert row.deviation == pytest.approx(spread, nan_ok=True)


@pytest.mark.parametrize("measure", ["igap", "accuracy", "gap"])
def test_ranks_count_the_better_sources(measure: directions.Measure) -> None:
    found = directions.sources(errors(), BY, measure, 0.0, 0.001)
    for (_, _), own in found.groupby(["model", "target"]):
        assert list(own["rank"]) == sorted(own["rank"])
        for row in own.itertuples():
            better = own["value"] > row.value if measure == "accuracy" else own["value"] < row.value
            assert row.rank == 1 + better.sum()


def test_equal_sources_share_a_rank_and_a_source_without_a_value_has_none() -> None:
    given = errors(1)
    given.loc[given["source"] != given["target"], "translated_error"] = 0.3
    given.loc[(given["source"] == "zh") & (given["target"] == "de"), "translated_error"] = NAN
    found = directions.sources(given, BY, "igap", 0.0, 0.001)
    own = found[(found["model"] == "m") & (found["target"] == "en")]
    assert list(own["rank"]) == [1, 1]
    own = found[(found["model"] == "m") & (found["target"] == "de")]
    assert list(own["source"]) == ["en", "zh"]
    assert own["rank"].iloc[0] == 1
    assert math.isnan(own["rank"].iloc[1])
    assert own["seeds"].tolist() == [1, 0]


def test_nothing_trained_or_nothing_tested_gives_no_rows() -> None:
    empty = errors().iloc[:0]
    untested = errors().assign(target_error=NAN, source_error=NAN)
    for measure in ("igap", "accuracy", "gap"):
        assert directions.sources(empty, BY, measure, 0.0, 0.001).empty
    for measure in ("accuracy", "gap"):
        found = directions.sources(untested, BY, measure, 0.0, 0.001)
        assert found.empty
        assert "rank" in found


def test_a_targets_only_source_is_not_its_best() -> None:
    given = matrix({"en>de": 0.3, "zh>de": NAN, "en>zh": 0.2, "de>zh": 0.1, "zh>zh": 0.0})
    assert directions.best(given, BY, higher=False)[["source", "target"]].values.tolist() == [["de", "zh"]]


def leading_by_loops(ranked: pd.DataFrame, by: list[str], levels: list[float]) -> pd.DataFrame:
    """Target by target, as the docstring says it; of equal ones that are next, all have to be told from the first."""
    found = [ranked.head(0)]
    for _, rows in ranked.dropna(subset=["rank"]).groupby([*by, "target"], dropna=False):
        first, others = rows[rows["rank"] == 1], rows[rows["rank"] > 1]
        following = others[others["rank"] == others["rank"].min()]
        if following.empty or len(first) > 1:
            continue
        (best,) = first.itertuples()
        higher = best.value > following["value"].iloc[0]
        told = best.low > max(levels, default=-math.inf) if higher else best.high < min(levels, default=math.inf)
        for each in following.itertuples():
            low, high = newcombe((best.value, best.low, best.high), (each.value, each.low, each.high))
            told = told and (low > 0 if higher else high < 0)
            one_seed = math.isnan(best.deviation) or following["deviation"].isna().any()
            told = told and (one_seed or abs(best.value - each.value) > max(best.deviation, each.deviation))
        if told:
            found.append(first)
    return pd.concat(found, ignore_index=True)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("higher", [False, True])
def test_leading_sources_are_those_of_a_loop_over_targets(seed: int, *, higher: bool) -> None:
    """With ties, with sources that have one seed, no value, interval or rival, and with models that lack a name."""
    rng = np.random.default_rng(seed)
    rows = []
    for model, target in product(("a", None), ("de", "en", "fi")):
        for source in "pqrs"[: rng.integers(0, 5)]:
            value, half = rng.choice([0.1, 0.2, 0.25, 0.4, NAN]), rng.choice([0.01, 0.02, 0.05, NAN], p=[0.4, 0.3, 0.2, 0.1])
            rows.append((model, target, source, value, rng.choice([0.02, 0.08, NAN]), value - half, value + half))
    frame = pd.DataFrame(rows, columns=["model", "target", "source", "value", "deviation", "low", "high"])
    frame["rank"] = frame.groupby(["model", "target"], dropna=False)["value"].rank(method="min", ascending=not higher)
    ranked = frame.sort_values(["model", "target", "rank", "source"], ignore_index=True)
    for levels in ([], [0.17, 0.19]):
        pd.testing.assert_frame_equal(
            directions.leading(ranked, ["model"], levels).sort_values(["model", "target", "source"], ignore_index=True),
            leading_by_loops(ranked, ["model"], levels).sort_values(["model", "target", "source"], ignore_index=True),
            check_dtype=False,
        )


def test_with_one_seed_a_lead_within_the_intervals_over_examples_is_not_told() -> None:
    """Of 128 examples, 45 right are not told from 34; of 12,800 as large a share is."""
    for n, told in ((128, 0), (12_800, 1)):
        of = [(source, right / 128, *wilson_by_roots(right / 128, n)) for source, right in (("de", 45), ("en", 34))]
        rows = pd.DataFrame(of, columns=["source", "value", "low", "high"]).assign(target="fi", deviation=NAN, rank=[1, 2])
        assert len(directions.leading(rows, [])) == told
        assert directions.leading(rows, [], [0.36]).empty
    assert directions.leading(rows.drop(columns=["low", "high"]), []).empty  # as a board kept them before
