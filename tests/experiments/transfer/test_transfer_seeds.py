"""Seeds of a model as one in transfer: cells, curves and differences against loops over what each seed has by itself."""

from __future__ import annotations

import math
import statistics
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from isogloss.backend.experiments.transfer import compared, curves, directions, frames
from isogloss.backend.experiments.transfer.directions import Measure

BY = ["model", "algorithm"]
SEEDS = {"m seed 0": "m (3 seeds)", "m seed 1": "m (3 seeds)", "m seed 2": "m (3 seeds)"}
N = 20
WINDOW = {"at": 0.0, "epsilon": 0.3}
COUNTS = st.integers(0, N)


@st.composite
def errors(draw: st.DrawFn) -> pd.DataFrame:
    """Rows of `queries.errors` of some runs: seeds may lack a source, a window may be empty, a target not evaluated."""
    rows: list[dict[str, Any]] = []
    for model in (*SEEDS, "other"):
        for source in draw(st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, unique=True)):
            run = f"{model} {source}"
            named = {"run": run, "model": model, "algorithm": "vanilla", "learning_rate": 1e-5, "seed": 0, "source": source}
            for step in (10, 20):
                train, own = draw(COUNTS) / N, draw(COUNTS) / N
                for target in ("a", "b", "c"):
                    lost = math.nan if draw(st.integers(0, 5)) == 0 else draw(COUNTS) / N
                    counts = {"n": N, "n_target": N, "n_source": N, "epoch": 1, "step": step}
                    ends = {"train_error": train, "source_error": own, "target": target}
                    ends |= {"translated_error": train if target == source else lost}
                    ends |= {"target_error": own if target == source else draw(COUNTS) / N}
                    rows.append(named | counts | ends)
    return pd.DataFrame(rows)


def by_hand(values: list[float], least: float, most: float) -> tuple[float, float, float, float]:
    """Mean, Student's interval cut off, and the deviation of those that are known."""
    known = [each for each in values if not math.isnan(each)]
    if len(known) < 2:
        return (known[0] if known else math.nan), math.nan, math.nan, math.nan
    mean, deviation = statistics.fmean(known), statistics.stdev(known)
    half = float(stats.t.ppf(0.975, len(known) - 1)) * deviation / math.sqrt(len(known))
    return mean, min(max(mean - half, least), most), min(max(mean + half, least), most), deviation


@settings(deadline=None)
@given(errors(), st.sampled_from(get_args(Measure)), st.booleans())
def test_a_cell_of_the_seeds_is_the_mean_of_those_with_a_value(given: pd.DataFrame, measure: Measure, lopsided: bool) -> None:
    each = frames.measured_directions(given, BY, measure, lopsided, **WINDOW)
    found = frames.measured_directions(given, BY, measure, lopsided, **WINDOW, seeds=SEEDS)
    expected: dict[tuple[str, str, str], list[float]] = {}
    for row in each.to_dict("records"):
        cell = (SEEDS.get(row["model"], row["model"]), row["source"], row["target"])
        expected.setdefault(cell, []).append(row["value"])
    assert len(found) == len(expected)
    least, most = (0.0, 1.0) if measure == "accuracy" else (-1.0, 1.0)
    ends = (least - most, most - least) if lopsided else (least, most)
    for row in found.to_dict("records"):
        values = expected[row["model"], row["source"], row["target"]]
        if row["model"] == "other":
            own = each[(each[["model", "source", "target"]] == ["other", row["source"], row["target"]]).all(axis=1)].iloc[0]
            assert all(row[name] == own[name] or (pd.isna(row[name]) and pd.isna(own[name])) for name in each)
            assert row["of_seeds"] == 0
            continue
        mean, low, high, deviation = by_hand(values, *ends)
        assert row["value"] == pytest.approx(mean, abs=1e-12, nan_ok=True)
        assert row["percent"] == pytest.approx(100 * mean, abs=1e-9, nan_ok=True)
        assert (row["low"], row["high"]) == pytest.approx((low, high), abs=1e-9, nan_ok=True)
        assert row["deviation"] == pytest.approx(deviation, abs=1e-12, nan_ok=True)
        assert row["of_seeds"] == sum(not math.isnan(value) for value in values)
        assert pd.isna(row.get("run"))
        assert row.get("step", -1) == -1


@settings(deadline=None)
@given(errors(), st.booleans())
def test_a_curve_of_the_seeds_is_the_mean_of_theirs(given: pd.DataFrame, one: bool) -> None:
    points, windows = curves.points_of(given, BY), ["all"]
    each = frames.igap_curves(points, BY, 0.3, windows, one)
    found = frames.igap_curves_and_points(points, BY, 0.3, windows, one, SEEDS)
    lines = found[~found["point"].astype(bool)]
    where = ["at", *(["source", "target"] if one else [])]
    expected: dict[tuple[object, ...], list[dict[str, Any]]] = {}
    for row in each.to_dict("records"):
        expected.setdefault((SEEDS.get(row["model"], row["model"]), *(row[name] for name in where)), []).append(row)
    assert len(lines) == len(expected)
    for row in lines.to_dict("records"):
        own = expected[row["model"], *(row[name] for name in where)]
        mean, low, high, _ = by_hand([each["value"] for each in own], -1.0, 1.0)
        assert row["value"] == pytest.approx(mean, abs=1e-12, nan_ok=True)
        if row["model"] == "other":
            assert math.isnan(row["low"])
            continue
        assert (row["low"], row["high"]) == pytest.approx((low, high), abs=1e-9, nan_ok=True)
        if one:
            assert row["models"] == sum(each["models"] for each in own)
            assert row["measured"] == sum(each["measured"] for each in own)
        else:
            assert (row["least"], row["most"]) == (min(each["least"] for each in own), max(each["most"] for each in own))
            assert row["unmeasured"] == sum(each["unmeasured"] for each in own)
    behind = curves.scatter(points, BY, "interlingual", mean=not one)
    assert sorted(found.loc[found["point"].astype(bool), "value"]) == sorted(behind["value"])
    assert set(found["model"]) <= {"m (3 seeds)", "other"}


@settings(deadline=None)
@given(errors(), st.sampled_from(get_args(Measure)))
def test_a_difference_of_seeds_has_welchs_interval(given: pd.DataFrame, measure: Measure) -> None:
    names = {"m seed 0": "one", "m seed 1": "one", "m seed 2": "two", "other": "two"}
    sides = {"first": ["one", "vanilla"], "second": ["two", "vanilla"]}
    found = compared.compared_over_seeds(given, BY, measure, False, **WINDOW, seeds=names, **sides)
    each = frames.measured_directions(given, BY, measure, False, **WINDOW).dropna(subset=["value"])
    expected: dict[tuple[str, str], dict[str, list[float]]] = {}
    for row in each.to_dict("records"):
        expected.setdefault((row["source"], row["target"]), {"one": [], "two": []})[names[row["model"]]].append(row["value"])
    expected = {cell: both for cell, both in expected.items() if both["one"] and both["two"]}
    assert set(zip(found["source"], found["target"], strict=True)) == set(expected)
    for row in found.to_dict("records"):
        both = expected[row["source"], row["target"]]
        difference = statistics.fmean(both["one"]) - statistics.fmean(both["two"])
        assert row["value"] == pytest.approx(difference, abs=1e-12)
        assert row["percent"] == pytest.approx(100 * difference, abs=1e-9)
        known = min(map(len, both.values())) > 1 and not (measure == "gap" and row["source"] == row["target"])
        assert row["interval"] == ("seeds" if known else "")
        assert np.isfinite(row["low"]) == known
        variances = [statistics.variance(each) / len(each) for each in both.values()] if known else [0.0]
        if sum(variances) > 1e-12:
            freedom = sum(variances) ** 2 / sum(part**2 for part in variances)  # of two seeds each
            half = float(stats.t.ppf(0.975, freedom)) * math.sqrt(sum(variances))
            most = 1 if measure == "accuracy" else 2
            within = max(difference - half, -most), min(difference + half, most)
            assert (row["low"], row["high"]) == pytest.approx(within, abs=1e-6)
            if within == (difference - half, difference + half):  # the ends of a scale tell less
                t = abs(difference) / math.sqrt(sum(variances))
                assert row["p"] == pytest.approx(2 * float(stats.t.sf(t, freedom)), rel=1e-4)


def test_the_best_source_of_seeds_is_told_by_their_intervals() -> None:
    rows = pd.DataFrame(
        {
            "model": "m",
            "algorithm": "vanilla",
            "source": ["a", "b", "c", "c"],
            "target": ["c", "c", "a", "c"],
            "value": [0.1, 0.5, 0.2, 0.0],
            "deviation": 0.02,
            "low": [0.05, 0.45, 0.1, 0.0],
            "high": [0.15, 0.55, 0.3, 0.0],
        }
    )
    leading = directions.leading(directions.in_order(rows, BY, "igap"), BY)
    assert leading[["source", "target"]].values.tolist() == [["a", "c"]]  # a target's only source leads nothing, nor itself
    wide = rows.assign(low=rows["value"] - 0.4, high=rows["value"] + 0.4)
    assert directions.leading(directions.in_order(wide, BY, "igap"), BY).empty
