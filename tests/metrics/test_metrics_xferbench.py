"""XferBench scores against loops over the cells, a bootstrap written out, and the paper's tables."""

from __future__ import annotations

import math
import random
import statistics

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from isogloss.backend.experiments.xferbench.printed import tables as published
from isogloss.backend.metrics.xferbench import aggregate, confidence_intervals, normalise, score
from tests.experiments.xferbench.printed_means import means

CELLS = st.floats(1, 9, allow_nan=False).map(lambda value: round(value, 3))


@st.composite
def frames(draw: st.DrawFn, missing: bool = True) -> pd.DataFrame:
    sources, targets = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    cell = st.one_of(CELLS, st.just(math.nan)) if missing else CELLS
    values = draw(st.lists(st.lists(cell, min_size=targets, max_size=targets), min_size=sources, max_size=sources))
    return pd.DataFrame(values, index=list("abcdef"[:sources]), columns=list("vwxyz"[:targets]))


def paper() -> pd.DataFrame:
    cells = published.cross_entropies()
    return cells.pivot(index="source", columns="target", values="value").loc[list(published.GROUPS)]


def slow_normalise(frame: pd.DataFrame) -> dict[tuple[str, str], float]:
    found = {}
    for target in frame.columns:
        known = [frame.loc[source, target] for source in frame.index if not math.isnan(frame.loc[source, target])]
        for source in frame.index:
            value = frame.loc[source, target]
            if math.isnan(value) or len(known) < 2:
                found[source, target] = math.nan
            elif len(set(known)) == 1:
                found[source, target] = 0.0
            else:
                found[source, target] = (value - statistics.fmean(known)) / statistics.stdev(known)
    return found


def slow_interval(frame: pd.DataFrame, source: str, draws: int = 20_000) -> tuple[float, float]:
    """The percentile interval of a source, one draw at a time."""
    dice = random.Random(5)
    scores = [statistics.fmean(frame.loc[name]) for name in frame.index]
    scale = statistics.stdev(scores)
    z = [value for (name, _), value in slow_normalise(frame).items() if name == source]
    means = sorted(statistics.fmean(dice.choices(z, k=len(z))) for _ in range(draws))
    own, middle = statistics.fmean(frame.loc[source]), statistics.fmean(z)
    low, high = means[int(draws * 0.025)], means[int(draws * 0.975)]
    return own + (low - middle) * scale, own + (high - middle) * scale


@given(frames())
def test_score_is_the_mean_of_all_targets_or_nothing(frame: pd.DataFrame) -> None:
    found = score(frame)
    assert list(found.index) == list(frame.index)
    for source in frame.index:
        values = frame.loc[source].tolist()
        if any(math.isnan(value) for value in values):
            assert math.isnan(found[source])
        else:
            assert found[source] == pytest.approx(statistics.fmean(values))


@given(frames())
def test_normalise_is_cell_by_cell(frame: pd.DataFrame) -> None:
    found = normalise(frame)
    for (source, target), value in slow_normalise(frame).items():
        assert found.loc[source, target] == pytest.approx(value, nan_ok=True, abs=1e-9)


def test_a_target_on_which_all_agree_but_for_rounding_is_zero() -> None:
    frame = pd.DataFrame({"same": [0.1 + 0.2, 0.3, 0.3], "other": [1.0, 2.0, 3.0]}, index=list("abc"))
    assert normalise(frame)["same"].tolist() == [0, 0, 0]
    assert normalise(frame)["other"].tolist() == [-1, 0, 1]


@pytest.mark.parametrize("few", [False, True])  # of three sources, what their deviation is divided by shows
@pytest.mark.parametrize("source", ["Yao+", "French", "Random"])
def test_intervals_are_those_of_a_bootstrap_written_out(source: str, few: bool) -> None:
    frame = paper().loc[["Yao+", "French", "Random"]] if few else paper()
    found = confidence_intervals(frame, seed=1, method="percentile").loc[source]
    low, high = slow_interval(frame, source)
    assert (found["low"], found["high"]) == pytest.approx((low, high), abs=0.03 * (high - low))
    assert found["low"] < found["score"] < found["high"]
    assert (found["score"], found["n"]) == (pytest.approx(frame.loc[source].mean()), 10)


def test_bias_corrected_intervals_lean_to_the_longer_tail() -> None:
    """Yao+ lies far lower at one target (Basque) than at the others, so its interval reaches further down."""
    found = confidence_intervals(paper(), method="bca")
    percentile = confidence_intervals(paper(), method="percentile")
    yao, plain = found.loc["Yao+"], percentile.loc["Yao+"]
    assert yao["score"] - yao["low"] > 1.2 * (plain["score"] - plain["low"])
    assert yao["score"] - yao["low"] > 2 * (yao["high"] - yao["score"])


def test_seeds_repeat_and_differ_and_order_does_not_matter() -> None:
    frame = paper()
    first = confidence_intervals(frame, seed=3, method="bca")
    pd.testing.assert_frame_equal(first, confidence_intervals(frame, seed=3, method="bca"))
    assert not np.allclose(first["low"], confidence_intervals(frame, seed=4, method="bca")["low"], atol=1e-6)
    turned = confidence_intervals(frame.iloc[::-1, ::-1], seed=3, method="bca").loc[frame.index]
    np.testing.assert_allclose(turned, first, rtol=1e-9)


@given(frames())
@settings(max_examples=30)
def test_by_default_they_are_student_s_of_the_distance_to_the_mean_of_the_sources(frame: pd.DataFrame) -> None:
    found, complete = confidence_intervals(frame), frame[frame.notna().all(axis=1)]
    for source, row in complete.iterrows() if len(complete) > 1 and frame.shape[1] > 1 else ():
        away = [row[target] - sum(complete[target]) / len(complete) for target in frame.columns]
        middle, n = sum(away) / len(away), len(away)
        error = math.sqrt(sum((each - middle) ** 2 for each in away) / (n - 1) / n)
        half = float(stats.t.ppf(0.975, n - 1)) * error
        ends = found.loc[source, "score"] - half, found.loc[source, "score"] + half
        assert (found.loc[source, "low"], found.loc[source, "high"]) == pytest.approx(ends, rel=1e-6, abs=1e-6)


def test_with_five_targets_it_holds_the_truth_where_the_bootstrap_is_too_short() -> None:
    draw, sources, trials = np.random.default_rng(6), 4, 120
    levels, held = 0.08 * draw.standard_normal(sources), {"student": 0.0, "bca": 0.0}
    truth = levels - levels.mean()
    for _ in range(trials):
        frame = pd.DataFrame(5 + levels[:, None] + 1.5 * draw.standard_normal(5) + 0.05 * draw.standard_normal((sources, 5)))
        for method in held:
            found = confidence_intervals(frame, resamples=99, method=method)  # type: ignore[arg-type]
            middle = found["score"].mean()
            held[method] += ((found["low"] - middle <= truth) & (truth <= found["high"] - middle)).mean() / trials
    assert held["student"] > 0.92
    assert held["bca"] < 0.88


def test_sources_that_differ_by_a_constant_have_intervals_of_no_width() -> None:
    """However far apart the targets are: in nats, without normalising, the intervals would span them."""
    frame = pd.DataFrame([[4.0, 5.0, 9.0], [4.5, 5.5, 9.5], [3.0, 4.0, 8.0]], index=list("abc"))
    found = confidence_intervals(frame)
    np.testing.assert_allclose(found["low"], found["score"])
    np.testing.assert_allclose(found["high"], found["score"])


@example(0.03125, 1.0)  # resamples that are the row again once had another mean than it
@given(st.floats(0.01, 100), st.floats(-5, 5))
@settings(max_examples=10)
def test_intervals_keep_their_place_in_other_units(factor: float, shift: float) -> None:
    frame = paper().iloc[:, :4]
    here, there = confidence_intervals(frame, resamples=500), confidence_intervals(frame * factor + shift, resamples=500)
    for column in ("score", "low", "high"):
        np.testing.assert_allclose(there[column], here[column] * factor + shift, rtol=1e-6, atol=1e-6)


@given(frames())
@settings(max_examples=30)
def test_intervals_hold_their_scores_or_are_nan(frame: pd.DataFrame) -> None:
    found = confidence_intervals(frame, resamples=200, method="percentile")
    complete = frame.notna().all(axis=1)
    defined = complete & (complete.sum() > 1) & (frame.shape[1] > 1)
    assert found["low"].notna().tolist() == found["high"].notna().tolist() == defined.tolist()
    assert found["n"].tolist() == frame.notna().sum(axis=1).tolist()
    kept = found[defined]
    assert (kept["low"] <= kept["score"] + 1e-9).all()
    assert (kept["high"] >= kept["score"] - 1e-9).all()


def test_an_unfinished_source_changes_no_other() -> None:
    frame = paper()
    before = confidence_intervals(frame)
    more = pd.concat([frame, pd.DataFrame([{"Danish": 1.0}], index=["mine"], columns=frame.columns)])
    after = confidence_intervals(more)
    pd.testing.assert_frame_equal(after.loc[frame.index], before, check_names=False)
    assert after.loc["mine", ["score", "low", "high"]].isna().all()
    assert after.loc["mine", "n"] == 1


@pytest.mark.parametrize("cell", [math.inf, -math.inf])
def test_infinite_cells_count_for_nothing(cell: float) -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, cell], "y": [1.0, 3.0, 5.0]}, index=list("abc"))
    found = confidence_intervals(frame, resamples=100)
    assert np.isfinite(found.loc[["a", "b"], ["low", "high"]]).all().all()
    assert found.loc["c", ["low", "high"]].isna().all()
    assert found.loc["c", "score"] == cell
    assert normalise(frame)["x"].tolist()[:2] == pytest.approx([-math.sqrt(0.5), math.sqrt(0.5)])
    assert math.isnan(normalise(frame).loc["c", "x"])


def test_frames_of_one_and_of_nothing() -> None:
    one_target = pd.DataFrame({"x": [1.0, 2.0]}, index=["a", "b"])
    assert confidence_intervals(one_target)["score"].tolist() == [1, 2]
    assert confidence_intervals(one_target)[["low", "high"]].isna().all().all()
    one_source = pd.DataFrame({"x": [1.0], "y": [2.0]}, index=["a"])
    assert confidence_intervals(one_source)["score"].tolist() == [1.5]
    assert confidence_intervals(one_source)[["low", "high"]].isna().all().all()
    assert normalise(one_source).isna().all().all()
    for empty in (pd.DataFrame(), pd.DataFrame(columns=["x"]), pd.DataFrame(index=["a"])):
        assert confidence_intervals(empty)["score"].isna().all()
        assert normalise(empty).shape == empty.shape
        assert len(score(empty)) == len(empty)


def test_names_that_stand_twice_are_refused() -> None:
    with pytest.raises(ValueError, match="source 'a' stands twice"):
        score(pd.DataFrame({"x": [1.0, 2.0]}, index=["a", "a"]))
    with pytest.raises(ValueError, match="target 'x' stands twice"):
        normalise(pd.DataFrame([[1.0, 2.0]], index=["a"], columns=["x", "x"]))


@given(frames())
def test_aggregate_is_the_mean_of_the_cells_of_two_groups(frame: pd.DataFrame) -> None:
    targets = {name: "first" if name < "x" else "last" for name in frame.columns}
    sources = {name: "vowel" if name in "ae" else "consonant" for name in frame.index}
    found = aggregate(frame, targets, sources)
    assert list(found.index) == sorted(set(sources.values()))
    assert list(found.columns) == sorted(set(targets.values()))
    for row in found.index:
        for column in found.columns:
            cells = [
                frame.loc[source, target]
                for source in frame.index
                for target in frame.columns
                if (sources[source], targets[target]) == (row, column) and not math.isnan(frame.loc[source, target])
            ]
            wanted = statistics.fmean(cells) if cells else math.nan
            assert found.loc[row, column] == pytest.approx(wanted, nan_ok=True)
    each = aggregate(frame, targets)
    assert list(each.index) == list(frame.index)
    pd.testing.assert_frame_equal(aggregate(frame), frame.astype(float))


def test_a_target_without_a_group_is_refused() -> None:
    with pytest.raises(ValueError, match="No group for the target 'y'"):
        aggregate(pd.DataFrame([[1.0, 2.0]], index=["a"], columns=["x", "y"]), {"x": "only"})


def test_scores_are_those_printed_in_table_5() -> None:
    found, printed = score(paper()), means()
    for row in printed[printed["target"] == "Mean"].to_dict("records"):
        if row["source"] != "Mean":
            assert found[row["source"]] == pytest.approx(row["value"], abs=0.005)


@pytest.mark.parametrize(("table", "kind", "off"), [("table 7", "writing_system", 0.13), ("table 8", "writing_type", 0.08)])
def test_writing_systems_are_those_printed_in_tables_7_and_8(table: str, kind: str, off: float) -> None:
    """As near as cells with two decimals allow: the printed value lies where other decimals in the cells could bring it."""
    groups = {name: getattr(language, kind) for name, language in published.LANGUAGES.items()}
    human = paper().loc[[name for name, group in published.GROUPS.items() if group == "human"]]
    printed = published.writing_systems().query("table == @table").pivot(index="source", columns="target", values="value")
    found = aggregate(normalise(human), groups, groups)
    assert (found - printed).abs().max().max() < off
    rng = np.random.default_rng(0)
    could = np.array(
        [aggregate(normalise(human + rng.uniform(-0.005, 0.005, human.shape)), groups, groups) for _ in range(100)]
    )
    apart = (printed.to_numpy() - could.mean(axis=0)) / could.std(axis=0)
    assert (apart**2).mean() < 1.2  # with n instead of n - 1 in the deviation, it is 2.1
