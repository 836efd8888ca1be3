"""The frames of the transfer figures against plain loops over the same rows."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from statistics import mean, stdev
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from isogloss.backend.experiments.transfer import curves as transfer_curves
from isogloss.backend.experiments.transfer import summary
from isogloss.backend.experiments.transfer.summary import accuracies, igaps, least_window, memorisation

BY = ["model", "algorithm"]
N = 12
"""Training examples: errors are twelfths, so that models often tie and often sit on an edge of a window."""
N_TARGET = 10

Row = dict[str, Any]


def igap_curves(errors: pd.DataFrame, by: list[str], points: list[float], epsilon: float) -> pd.DataFrame:
    return transfer_curves.curves(transfer_curves.points_of(errors, by), by, points, epsilon)


def decomposed(errors: pd.DataFrame, by: list[str], at: float, epsilon: float) -> pd.DataFrame:
    return transfer_curves.decompose(transfer_curves.points_of(errors, by), by, at, epsilon)


def frame(runs: list[Row]) -> pd.DataFrame:
    """Rows as the store gives them. A run has `source` and, by step, `train` errors, `translated` and `validated` by target
    (counts; None where the point was not evaluated).
    """
    rows = []
    for number, run in enumerate(runs):
        targets = sorted(run["points"][0]["translated"])
        for place, point in enumerate(run["points"], 1):
            own = point["validated"].get(run["source"])
            for target in targets:
                translated, validated = point["translated"][target], point["validated"].get(target)
                rows.append(
                    {name: run.get(name) for name in (*BY, "learning_rate", "seed", "source")}
                    | {"run": f"run {number:03d}", "step": 10 * place, "epoch": (place + 1) // 2, "target": target}
                    | {"train_error": point["train"] / N, "n": N}
                    | {"translated_error": math.nan if translated is None else translated / N}
                    | {"target_error": math.nan if validated is None else validated / N_TARGET}
                    | {"source_error": math.nan if own is None else own / N_TARGET}
                    | {
                        "n_target": math.nan if validated is None else N_TARGET,
                        "n_source": math.nan if own is None else N_TARGET,
                    }
                )
    return pd.DataFrame(rows).sample(frac=1, random_state=0, ignore_index=True)  # in no order


@st.composite
def many_runs(draw: st.DrawFn, *, gaps: bool = True) -> list[Row]:
    runs = []
    for _ in range(draw(st.integers(1, 7))):
        source = draw(st.sampled_from(["de", "en"]))
        more = draw(st.sampled_from([["fi"], ["fi", "ru"]]))  # not all runs have all targets
        points = []
        for _ in range(draw(st.integers(1, 5))):  # nor the same length
            train = draw(st.integers(0, N))
            evaluated = not gaps or draw(st.integers(0, 4)) > 0
            translated = {tag: draw(st.integers(0, N)) if evaluated else None for tag in ("de", "en", *more)}
            validated = {tag: draw(st.integers(0, N_TARGET)) if evaluated else None for tag in translated}
            points.append({"train": train, "translated": translated | {source: train}, "validated": validated})
        runs.append(
            {"model": draw(st.sampled_from(["a", "b"])), "algorithm": draw(st.sampled_from(["vanilla", "xtune"]))}
            | {"learning_rate": draw(st.sampled_from([1e-5, 2e-5])), "seed": len(runs), "source": source, "points": points}
        )
    return runs


def directions(runs: list[Row]) -> dict[tuple[str, ...], list[tuple[str, int, Row]]]:
    """Points (run, step, point) of each model, algorithm and source."""
    found = defaultdict(list)
    for number, run in enumerate(runs):
        for place, point in enumerate(run["points"], 1):
            found[run["model"], run["algorithm"], run["source"]].append((f"run {number:03d}", 10 * place, point))
    return dict(found)


def igap_by_loop(points: list[tuple[str, int, Row]], target: str, at: Fraction, epsilon: Fraction) -> Row:
    inside = [one for one in points if at <= Fraction(one[2]["train"], N) < at + epsilon]
    known = [one for one in inside if one[2]["translated"].get(target) is not None]
    found: Row = {"models": len(inside), "measured": len(known), "value": math.nan, "run": None, "step": -1}
    if inside and len(known) == len(inside):
        gaps = [one[2]["translated"][target] - one[2]["train"] for one in known]
        run, step, _ = known[gaps.index(min(gaps))]
        found |= {"value": min(gaps) / N, "run": run, "step": step}
    return found


@given(runs=many_runs(), at=st.integers(0, N), epsilon=st.integers(1, 6))
@settings(max_examples=40)
def test_igaps_are_the_least_gaps_of_the_models_in_the_window(runs: list[Row], at: int, epsilon: int) -> None:
    found = igaps(frame(runs), BY, at / N, epsilon / N)
    rows = {(row.model, row.algorithm, row.source, row.target): row for row in found.itertuples()}
    expected = {}
    for key, points in directions(runs).items():
        for target in {tag for _, _, point in points for tag in point["translated"]} - {key[2]}:
            expected[*key, target] = igap_by_loop(points, target, Fraction(at, N), Fraction(epsilon, N))
    assert list(rows) == sorted(expected)
    for key, row in rows.items():
        want = expected[key]
        assert row.value == pytest.approx(want["value"], abs=1e-12, nan_ok=True)
        assert (row.models, row.measured, row.step) == (want["models"], want["measured"], want["step"])
        assert row.run == want["run"] or (want["run"] is None and pd.isna(row.run))


@given(runs=many_runs(), at=st.integers(0, N), epsilon=st.integers(1, 12))
@settings(max_examples=20)
def test_the_parts_behind_an_igap_add_up_to_the_target_error(runs: list[Row], at: int, epsilon: int) -> None:
    errors = frame(runs)
    found = decomposed(errors, BY, at / N, epsilon / N)
    kept = igaps(errors, BY, at / N, epsilon / N).dropna(subset=["value"])
    names = [*BY, "source", "target", "run", "step", "models"]
    assert found[names].values.tolist() == kept[names].values.tolist()
    assert found["inter"].tolist() == pytest.approx(kept["value"].tolist(), abs=1e-12)
    points = {(run, step): point for own in directions(runs).values() for run, step, point in own}
    for row in found.itertuples():
        point = points[row.run, row.step]
        train, translated, validated = point["train"], point["translated"][row.target], point["validated"][row.target]
        assert (row.train, row.target_error) == (train / N, validated / N_TARGET)
        assert row.inter == pytest.approx((translated - train) / N, abs=1e-12)
        assert row.intra == pytest.approx(validated / N_TARGET - translated / N, abs=1e-12)
        assert row.train + row.inter + row.intra == pytest.approx(row.target_error, abs=1e-12)


def one(source: str, translated: list[dict[str, int | None]], train: list[int], **more: Any) -> Row:
    points = [
        {"train": t, "translated": each | {source: t}, "validated": {}} for t, each in zip(train, translated, strict=True)
    ]
    return {"model": "a", "algorithm": "vanilla", "learning_rate": 1e-5, "source": source, "points": points} | more


def test_runs_that_lack_a_target_leave_the_others_errors_in_their_places() -> None:
    """As when an older run has fewer languages: 2 points in 2 languages and 2 points in 4 are no 4 points in 3."""
    few = one("en", [{"fi": 8}, {"fi": 7}], [0, 3])
    many = one("en", [{"de": 1, "fi": 2, "ru": 3}, {"de": 4, "fi": 5, "ru": 6}], [0, 3])
    found = igaps(frame([few, many]), [], 0.0, 0.01).set_index("target")
    assert found["value"].to_dict() == pytest.approx({"de": math.nan, "fi": 2 / N, "ru": math.nan}, nan_ok=True)
    assert found["models"].tolist() == [2, 2, 2]
    assert found["measured"].tolist() == [1, 2, 1]


def test_an_empty_window_is_no_value_and_an_edge_belongs_to_the_window_above() -> None:
    errors = frame([one("en", [{"fi": 6}], [3])])
    assert igaps(errors, [], 3 / N, 1 / N)["value"].tolist() == [3 / N]
    assert igaps(errors, [], 2 / N, 1 / N)["value"].isna().all()
    assert igaps(errors, [], 2 / N, 1 / N)[["models", "measured", "step"]].to_numpy().tolist() == [[0, 0, -1]]
    curve = igap_curves(errors, [], [2 / N, 3 / N, 0.1 + 0.2 - 0.05], 1 / N)
    assert curve["models"].tolist() == [0, 1, 1]
    assert decomposed(errors, [], 2 / N, 1 / N).empty


def test_of_equal_gaps_the_first_run_and_step_is_behind() -> None:
    runs = [one("en", [{"fi": 6}, {"fi": 5}, {"fi": 4}], [3, 2, 1]), one("en", [{"fi": 3}], [0])]
    found = igaps(frame(runs), [], 0.0, 1.0).iloc[0]
    assert (found["value"], found["run"], found["step"]) == (3 / N, "run 000", 10)


def test_a_gap_below_zero_is_a_value_like_any_other() -> None:
    assert igaps(frame([one("en", [{"fi": 2}, {"fi": 9}], [6, 6])]), [], 0.5, 0.1)["value"].tolist() == pytest.approx([-4 / N])


def test_models_without_a_step_are_not_left_out() -> None:
    """A column of `by` may have no value: a checkpoint without a training step."""
    errors = frame([one("en", [{"fi": 6}], [3]), one("en", [{"fi": 4}], [3])]).assign(validated=1.0)
    errors = errors.assign(checkpoint_step=np.where(errors["run"] == "run 000", np.nan, 7.0))
    assert sorted(igaps(errors, ["checkpoint_step"], 0.25, 0.1)["value"]) == pytest.approx([1 / N, 3 / N])
    assert len(igap_curves(errors, ["checkpoint_step"], [0.25], 0.1)) == 2
    assert len(memorisation(errors, ["checkpoint_step"])) == 2
    errors = errors.assign(target_error=0.5, source_error=0.25, n_target=4, n_source=4)
    assert accuracies(errors, ["checkpoint_step"])["gap"].tolist() == [0.25] * 4


def test_runs_of_one_checkpoint_count_for_each_of_its_models() -> None:
    """Two models of the workspace may begin at the same weights, and share the runs of these."""
    alone = frame([trained(1e-5, 3, {"fi": 4}), trained(1e-5, 2, {"fi": 6}, 1)])
    both = pd.concat([alone, alone.assign(model="b")], ignore_index=True)
    for made in (
        accuracies,
        memorisation,
        lambda errors, by: igaps(errors, by, 0.0, 0.1),
        lambda errors, by: decomposed(errors, by, 0.0, 0.1),
    ):
        wanted = made(alone, BY)
        assert len(wanted)
        for model in ("a", "b"):
            found = made(both, BY)
            own = found[found["model"] == model].assign(model="a").reset_index(drop=True)
            pd.testing.assert_frame_equal(own, wanted)


def test_nothing_gives_nothing_with_its_columns() -> None:
    empty = frame([one("en", [{"fi": 6}], [3])]).iloc[:0]
    keys = [*BY, "source", "target"]
    assert list(igaps(empty, BY, 0.0, 0.1)) == [*keys, "value", "models", "measured", "run", "step", "n", "low", "high"]
    assert list(igap_curves(empty, BY, [0.0], 0.1)) == [*BY, "source", "target", "at", "value", "models", "measured"]
    ends = ["low", "high", "gap_low", "gap_high"]
    assert list(accuracies(empty, BY)) == [*keys, "accuracy", "deviation", "gap", "seeds", "learning_rate", "n", *ends]
    assert list(memorisation(empty, BY)) == [*BY, "source", "step", "epoch", "value", "low", "high", "runs"]
    assert {"train", "inter", "intra", "target_error"} < set(decomposed(empty, BY, 0.0, 0.1))
    for made in (igaps(empty, BY, 0.0, 0.1), accuracies(empty, BY), memorisation(empty, BY), decomposed(empty, BY, 0.0, 0.1)):
        assert len(made) == 0


@given(runs=many_runs())
@settings(max_examples=40)
def test_accuracies_are_means_over_the_last_models_of_the_best_learning_rate(runs: list[Row]) -> None:
    found = accuracies(frame(runs), BY)
    rates: dict[tuple[str, ...], dict[float, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        last = run["points"][-1]["validated"]
        if last[run["source"]] is not None:
            rates[run["model"], run["algorithm"], run["source"]][run["learning_rate"]].append(last)
    expected = {}
    for key, by_rate in rates.items():
        source = key[2]
        means = {rate: mean(Fraction(one[source], N_TARGET) for one in lasts) for rate, lasts in by_rate.items()}
        rate = min(rate for rate, value in means.items() if value == min(means.values()))
        for target in {tag for last in by_rate[rate] for tag in last}:
            having = [last for last in by_rate[rate] if target in last]
            right = [1 - last[target] / N_TARGET for last in having]
            gap = mean((last[target] - last[source]) / N_TARGET for last in having)
            spread = stdev(right) if len(right) > 1 else math.nan
            expected[*key, target] = [mean(right), spread, gap, len(having), rate, N_TARGET]
    columns = ["accuracy", "deviation", "gap", "seeds", "learning_rate", "n"]
    values = {tuple(row[:4]): row[4:] for row in found[[*BY, "source", "target", *columns]].to_numpy().tolist()}
    assert list(values) == sorted(expected)
    for key, row in values.items():
        assert row == pytest.approx(expected[key], abs=1e-12, nan_ok=True)


def trained(rate: float, own: int, others: dict[str, int], seed: int = 0) -> Row:
    point = {"train": 0, "translated": dict.fromkeys(("en", *others), 0), "validated": {"en": own, **others}}
    return {"model": "a", "algorithm": "vanilla", "learning_rate": rate, "seed": seed, "source": "en", "points": [point]}


@given(others=st.lists(st.integers(0, N_TARGET), min_size=6, max_size=6))
@example(others=[0, 0, 0, 10, 10, 10])
@settings(max_examples=20)
def test_no_target_has_a_say_in_the_learning_rate(others: list[int]) -> None:
    """2e-5 is better on the source, whatever the targets say, and however many each run has."""
    runs = [trained(1e-5, 3, {"fi": others[0]}), trained(1e-5, 3, dict(zip(("fi", "ru"), others[1:3], strict=True)), 1)]
    runs += [trained(2e-5, 4, dict(zip(("fi", "ru"), others[3:5], strict=True))), trained(2e-5, 1, {"fi": others[5]}, 1)]
    # By runs 2.5 against 3; with each run counted as often as it has targets it would be 2.8 against 3 …
    found = accuracies(frame(runs), BY)
    assert set(found["learning_rate"]) == {2e-5}
    # … and here 3.25 against 3.
    runs[2]["points"][0]["validated"] |= {"de": 0, "fr": 0, "sw": 0}
    runs[2]["points"][0]["translated"] |= {"de": 0, "fr": 0, "sw": 0}
    assert set(accuracies(frame(runs), BY)["learning_rate"]) == {2e-5}


@given(seeds=st.permutations([1, 2, 3, 6, 7]))
@settings(max_examples=20)
def test_of_equally_good_learning_rates_the_lower_is_taken(seeds: list[int]) -> None:
    """The same errors in another order, whose float64 sums differ."""
    runs = [trained(1e-5, own, {"fi": 5}, seed) for seed, own in enumerate([1, 2, 3, 6, 7])]
    runs += [trained(2e-5, own, {"fi": 0}, seed) for seed, own in enumerate(seeds)]
    assert set(accuracies(frame(runs), BY)["learning_rate"]) == {1e-5}
    # Three of 0.1 are 0.30000000000000004, whose third is not the mean of one.
    runs = [trained(1e-5, 1, {"fi": 5}, seed) for seed in range(3)] + [trained(2e-5, 1, {"fi": 0})]
    assert set(accuracies(frame(runs), BY)["learning_rate"]) == {1e-5}


def test_accuracies_need_not_have_the_source_among_the_targets() -> None:
    errors = frame([trained(1e-5, 2, {"fi": 5, "ru": 7}), trained(2e-5, 1, {"fi": 6, "ru": 8})])
    whole, chosen = accuracies(errors, BY), accuracies(errors[errors["target"] == "fi"], BY)
    pd.testing.assert_frame_equal(chosen, whole[whole["target"] == "fi"].reset_index(drop=True))
    assert chosen["gap"].tolist() == pytest.approx([0.5])


@given(runs=many_runs())
@settings(max_examples=20)
def test_memorisation_goes_on_at_the_last_error_of_a_run_that_stopped(runs: list[Row]) -> None:
    found = memorisation(frame(runs), BY)
    expected = []
    groups = sorted({(run["model"], run["algorithm"], run["source"]) for run in runs})
    for key in groups:
        own = [run["points"] for run in runs if (run["model"], run["algorithm"], run["source"]) == key]
        for place in range(max(map(len, own))):
            values = [points[min(place, len(points) - 1)]["train"] / N for points in own]
            expected.append([*key, 10 * (place + 1), (place + 2) // 2, mean(values), min(values), max(values), len(own)])
    rows = found[[*BY, "source", "step", "epoch", "value", "low", "high", "runs"]].to_numpy().tolist()
    assert [row[:5] for row in rows] == [row[:5] for row in expected]
    assert [row[5:] for row in rows] == [pytest.approx(row[5:], abs=1e-12) for row in expected]


@pytest.mark.parametrize("seed", range(3))
def test_the_least_window_that_all_have_is_the_first_of_all_windows(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against a loop over every window: starts in steps of 2%, by the least end, the width counted twice."""
    monkeypatch.setattr(summary, "STEP", 0.02)
    random = np.random.default_rng(seed)
    rows = [
        {"run": f"{source} {run}", "source": source, "target": target, "step": step, "epoch": 1, "model": "m", "n": 50}
        | {"train_error": train, "source_error": 0.1, "target_error": 0.3}
        | {"translated_error": np.nan if random.random() < 0.05 else train + 0.2}
        for source in ("en", "zh")
        for run in range(2)
        for step, train in enumerate(np.sort(random.integers(8, 40, 12))[::-1] / 50)
        for target in ("de", "fr")
    ]
    errors = pd.DataFrame(rows)
    widths = (0.001, 0.025, 0.1)
    whole = (
        (round(at / 50 + 2 * width, 9), width, at / 50)
        for width in widths
        for at in range(39)  # the greatest training error is below
        if not igaps(errors, ["model"], at / 50, width)["value"].isna().any()
    )
    least = min(whole, default=None)
    found = least_window(errors, ["model"], widths)
    assert found == (None if least is None else (least[2], least[1]))
    assert least_window(errors.head(0), ["model"], widths) is None
