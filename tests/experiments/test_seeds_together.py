"""Seeds of a model as one line: means and Student's intervals against loops, with gaps, one seed and lines of a model."""

from __future__ import annotations

import math
import statistics
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from isogloss.backend.experiments.compared import corrected
from isogloss.backend.experiments.seeds_together import (
    differences_of_seeds,
    means_of_seeds,
    named_by_seeds,
    seeds_as_one,
    seeds_together,
)

SEEDS = {"m-seed1": "m", "m-seed2": "m", "m-seed3": "m"}
VALUES = st.dictionaries(
    st.tuples(st.sampled_from(["m-seed1", "m-seed2", "m-seed3", "other"]), st.integers(0, 2), st.sampled_from(["a", "b"])),
    st.floats(0, 1) | st.just(math.nan),
    min_size=1,
)


def frame(values: dict[tuple[str, int, str], float]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "model": model,
                "step": step,
                "line": line,
                "value": value,
                "low": value - 0.1,
                "high": value + 0.1,
                "n": 10 + step,
            }
            for (model, step, line), value in values.items()
        ]
    )


def by_hand(values: list[float]) -> tuple[float, float, float]:
    known = [value for value in values if not math.isnan(value)]
    if len(known) < 2:
        return (known[0] if known else math.nan), math.nan, math.nan
    half = float(stats.t.ppf(0.975, len(known) - 1)) * statistics.stdev(known) / math.sqrt(len(known))
    mean = statistics.fmean(known)
    return mean, min(max(mean - half, 0), 1), min(max(mean + half, 0), 1)


@given(VALUES)
def test_each_place_of_each_line_has_the_mean_of_the_seeds_that_are_there(values: dict[tuple[str, int, str], float]) -> None:
    rows = seeds_together(frame(values), SEEDS, x="step", each=True, bounds=(0.0, 1.0))
    amount = len({model for model, _, _ in values if model in SEEDS})
    found = {(row["model"], row["step"], row["line"]): row for row in rows.to_dict("records")}
    assert len(found) == len(rows)
    expected: dict[tuple[str, int, str], list[float]] = {}
    for (model, step, line), value in values.items():
        name = f"m ({amount} seeds)" if model in SEEDS else model
        expected.setdefault((name, step, line), []).append(value)
    assert set(found) == set(expected)
    for key, of_seeds in expected.items():
        row: dict[Any, Any] = found[key]
        if key[0] == "other":
            assert row["value"] == pytest.approx(of_seeds[0], nan_ok=True)
            assert row["low"] == pytest.approx(of_seeds[0] - 0.1, nan_ok=True)
        else:
            own = by_hand(of_seeds)
            assert row["value"] == pytest.approx(own[0], nan_ok=True, abs=1e-12)
            if any(not math.isnan(value) for value in of_seeds):
                assert (row["low"], row["high"]) == pytest.approx(own[1:], nan_ok=True, abs=1e-9)


def test_checkpoints_that_are_called_differently_are_one_line_and_nothing_is_done_unasked() -> None:
    rows = frame({("m-seed1", 0, "a"): 0.2, ("m-seed2", 0, "b"): 0.4, ("other", 0, "a"): 0.9})
    (one,) = seeds_together(rows, SEEDS, x="step").query("model != 'other'").to_dict("records")
    assert (one["model"], one["line"], one["value"], one["n"]) == ("m (2 seeds)", "", pytest.approx(0.3), 10)
    assert seeds_together(rows, {}, x="step") is rows
    assert seeds_together(rows, {"none": "x"}, x="step") is rows


def test_measures_and_pairs_of_languages_stay_apart() -> None:
    made = [
        {"model": f"m-seed{seed}", "layer": layer, "metric": metric, "source": source, "target": "de", "value": value, "n": 5}
        for seed in (1, 2)
        for layer in (0, None)  # of what no layer changes
        for metric in ("a", "b")
        for source, value in (("en", 0.1 * seed), ("fi", 0.2 * seed + (metric == "b")))
    ]
    rows = pd.DataFrame(made).assign(low=math.nan, high=math.nan)
    found = seeds_together(rows, SEEDS, x="layer", each=True)
    assert len(found) == 8
    means = found.set_index(["metric", "source"])["value"]
    assert means["a", "en"].tolist() == pytest.approx([0.15, 0.15])
    assert means["b", "fi"].tolist() == pytest.approx([1.3, 1.3])
    assert found["layer"].isna().sum() == 4
    together = seeds_together(rows, SEEDS, x="layer")
    assert together.groupby("metric")["value"].first().tolist() == pytest.approx([0.225, 0.725])


def test_differences_of_a_few_seeds_have_welchs_p() -> None:
    """Not the normal one of its interval, by which two seeds that lie 10 errors apart would have p = .000005."""
    values = {"m": [0.51, 0.53], "n": [0.31, 0.42], "k": [0.2, 0.21, 0.26, 0.3]}
    rows = pd.DataFrame([{"side": side, "step": 0, "value": value} for side, own in values.items() for value in own])
    for first, second in (("m", "n"), ("m", "k"), ("k", "n")):
        found = corrected(differences_of_seeds(rows, ["step"], "side", [first, second]))
        expected = stats.ttest_ind(values[first], values[second], equal_var=False)
        assert found["p"].tolist() == pytest.approx([expected.pvalue])
        assert found["freedom"].tolist() == pytest.approx([expected.df])


@given(VALUES)
def test_the_difference_of_two_sides_is_that_of_their_means_with_welchs_interval(
    values: dict[tuple[str, int, str], float],
) -> None:
    rows = named_by_seeds(frame(values), {"m-seed1": "m", "m-seed2": "m", "m-seed3": "n", "other": "n"})
    found = differences_of_seeds(rows.assign(side=rows["model"]), ["step", "line"], "side", ["m", "n"], (0.0, 1.0))
    expected: dict[tuple[int, str], dict[str, list[float]]] = {}
    for (model, step, line), value in values.items():
        if not math.isnan(value):
            side = "m" if model in ("m-seed1", "m-seed2") else "n"
            expected.setdefault((step, line), {"m": [], "n": []})[side].append(value)
    expected = {cell: sides for cell, sides in expected.items() if sides["m"] and sides["n"]}
    assert {(row["step"], row["line"]) for row in found.to_dict("records")} == set(expected)
    for row in found.to_dict("records"):
        own = expected[row["step"], row["line"]]
        mean = statistics.fmean(own["m"]) - statistics.fmean(own["n"])
        assert (row["difference"], row["m"] - row["n"]) == (pytest.approx(mean, abs=1e-12), pytest.approx(mean, abs=1e-12))
        if min(map(len, own.values())) < 2:
            assert math.isnan(row["low"])
            assert row["interval"] == ""
            continue
        assert row["interval"] == "seeds"
        errors = [statistics.variance(each) / len(each) for each in own.values()]
        if sum(errors) < 1e-12:
            continue
        freedom = sum(errors) ** 2 / sum(error**2 / (len(each) - 1) for error, each in zip(errors, own.values(), strict=True))
        half = float(stats.t.ppf(0.975, freedom)) * math.sqrt(sum(errors))
        assert row["low"] == pytest.approx(max(mean - half, -1), abs=1e-9)
        assert row["high"] == pytest.approx(min(mean + half, 1), abs=1e-9)


def test_the_seeds_of_a_side_are_one_row_a_cell_and_other_models_keep_theirs() -> None:
    rows = named_by_seeds(frame({(f"m-seed{seed}", 0, "a"): 0.2 * seed for seed in (1, 2)} | {("other", 0, "a"): 0.9}), SEEDS)
    found = means_of_seeds(rows, ["m"], ["step", "line"]).set_index("model")
    assert found["value"].to_dict() == {"other": 0.9, "m": pytest.approx(0.3)}
    assert (found["low"]["other"], found["high"]["other"]) == pytest.approx((0.8, 1.0))
    half = float(stats.t.ppf(0.975, 1)) * 0.1  # the standard error of two values .2 apart
    assert (found["low"]["m"], found["high"]["m"]) == pytest.approx((0.3 - half, 0.3 + half))
    assert means_of_seeds(rows, ["none"], ["step"]) is rows


@given(VALUES, VALUES)
def test_scores_side_by_side_are_means_of_their_own(
    first: dict[tuple[str, int, str], float], second: dict[tuple[str, int, str], float]
) -> None:
    """One has an interval, the other none: no column is made up for it, and a gap in one is none in the other."""
    rows = pd.DataFrame(
        [
            {"model": model, "checkpoint": model, "layer": layer, "source": "a", "target": target, "n": 5}
            | {"language": first.get((model, layer, target), math.nan), "language_low": 0.0, "language_high": 1.0}
            | {"retrieval": second.get((model, layer, target), math.nan)}
            for model, layer, target in {**first, **second}
            if model in SEEDS
        ],
        columns=["model", "checkpoint", "layer", "source", "target", "n", *WIDE],
    )
    found = seeds_as_one(rows, "m", dict.fromkeys(SEEDS, "one"), bounds=(0.0, 1.0), scores=["language", "retrieval"])
    places = {(layer, target) for model, layer, target in {**first, **second} if model in SEEDS}
    assert {(row["layer"], row["target"]) for row in found.to_dict("records")} == places
    assert (len(found), list(found)) == (len(places), list(rows))
    for row in found.to_dict("records"):
        of = {
            name: by_hand([values.get((seed, row["layer"], row["target"]), math.nan) for seed in SEEDS])
            for name, values in (("language", first), ("retrieval", second))
        }
        assert tuple(row[name] for name in WIDE[:3]) == pytest.approx(of["language"], nan_ok=True, abs=1e-9)
        assert row["retrieval"] == pytest.approx(of["retrieval"][0], nan_ok=True, abs=1e-12)


WIDE = ["language", "language_low", "language_high", "retrieval"]
CELLS = st.dictionaries(
    st.tuples(
        st.sampled_from(["m-seed1", "m-seed2", "m-seed3"]),
        st.sampled_from(["first", "last", "other"]),  # checkpoints, the last of no column
        st.integers(0, 1),  # layers
        st.sampled_from(["de", "en"]),
        st.sampled_from(["mean", "first token"]),  # variants
    ),
    st.floats(0, 1) | st.just(math.nan),
)


@given(CELLS)
def test_each_cell_of_a_heatmap_has_the_mean_of_the_seeds_that_are_there(
    values: dict[tuple[str, str, int, str, str], float],
) -> None:
    columns = ["model", "checkpoint", "layer", "language", "variant", "value", "low", "high", "deviation", "n"]
    rows = [
        [model, f"{model} {at}", layer, language, variant, value, value, value, 0.5, 10 + layer]
        for (model, at, layer, language, variant), value in values.items()
    ]
    places = {f"{model} {at}": f"m-seed1 {at}" for model in SEEDS for at in ("first", "last")}
    frame_of_all = pd.DataFrame(rows, columns=columns).astype({"value": float, "low": float, "high": float, "deviation": float})
    made = seeds_as_one(frame_of_all, "m (3 seeds)", places, also=["variant"], bounds=(0.0, 1.0))
    found = {tuple(row[name] for name in columns[1:5]): row for row in made.to_dict("records")}
    assert len(found) == len(made)
    expected: dict[tuple[str, int, str, str], list[float]] = {}
    for (_, at, layer, language, variant), value in values.items():
        if at != "other":
            expected.setdefault((f"m-seed1 {at}", layer, language, variant), []).append(value)
    assert set(found) == set(expected)
    for key, of_seeds in expected.items():
        row: dict[Any, Any] = found[key]  # type: ignore[index]
        known = [value for value in of_seeds if not math.isnan(value)]
        assert (row["model"], row["n"]) == ("m (3 seeds)", 10 + key[1])
        assert row["value"] == pytest.approx(by_hand(of_seeds)[0], nan_ok=True, abs=1e-12)
        assert row["deviation"] == pytest.approx(statistics.stdev(known) if len(known) > 1 else math.nan, nan_ok=True, abs=1e-9)
        if known:
            assert (row["low"], row["high"]) == pytest.approx(by_hand(of_seeds)[1:], nan_ok=True, abs=1e-9)
