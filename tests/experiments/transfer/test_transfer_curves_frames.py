"""Curves and points from arrays against plain loops over the rows (single curves: `test_transfer_summary`)."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.backend.experiments.transfer import curves as transfer_curves
from isogloss.backend.experiments.transfer.windows import EVALUATED

BY = ["model", "algorithm"]
LANGUAGES = ("de", "en", "zh")
N, VALIDATION = 40, 20


def made(seed: int = 0, *, points: int = 12, unmeasured: float = 0.0, models: tuple[str, ...] = ("a", "b")) -> pd.DataFrame:
    """Errors as counts over `N`, two runs a model, algorithm and source; some not measured."""
    random = np.random.default_rng(seed)
    rows = []
    for number, (model, algorithm, source, _) in enumerate(
        itertools.product(models, ("vanilla", "gaussian"), ("en", "zh"), (0, 1))
    ):
        for step in range(1, points + 1):
            train = int(random.integers(0, 25))
            for target in LANGUAGES:
                known = random.random() >= unmeasured
                translated = train if target == source else int(random.integers(0, N + 1))
                wrong = int(random.integers(0, VALIDATION + 1))
                rows.append(
                    {
                        "run": f"run{number}",
                        "model": model,
                        "algorithm": algorithm,
                        "source": source,
                        "step": 10 * step,
                        "epoch": 1 + step // 3,
                        "target": target,
                        "train_error": train / N,
                        "translated_error": translated / N if known else math.nan,
                        "target_error": wrong / VALIDATION if known else math.nan,
                        "source_error": 3 / VALIDATION,
                        "n": N,
                        "n_target": VALIDATION,
                    }
                )
    return pd.DataFrame(rows)


def in_window(rows: pd.DataFrame, at: float, epsilon: float) -> pd.DataFrame:
    """By whole counts, so that edges are exact."""
    counts = (rows["train_error"] * N).round().astype(int)
    return rows[(round(at * N, 6) <= counts) & (counts < round((at + epsilon) * N, 6))]


@pytest.mark.parametrize("epsilon", [0.025, 0.1])
def test_mean_curves_by_loops(epsilon: float) -> None:
    errors = made(3, unmeasured=0.1)
    points = transfer_curves.points_of(errors, BY)
    at = transfer_curves.grid(points, epsilon)
    found = transfer_curves.mean_curves(points, BY, at, epsilon)
    single = transfer_curves.curves(points, BY, at, epsilon).set_index([*BY, "at", "source", "target"])
    assert len(single) == 4 * len(found)
    assert len(found) == 4 * len(at)
    seen = {"value": 0, "nan": 0}
    directions = dict(list(errors.groupby(["model", "algorithm", "source", "target"])))
    for row in found.to_dict("records"):
        values, sizes, unmeasured = [], [], 0
        for source, target in itertools.product(("en", "zh"), LANGUAGES):
            if source == target:
                continue
            window = in_window(directions[row["model"], row["algorithm"], source, target], row["at"], epsilon)
            gaps = (window["translated_error"] - window["train_error"]).tolist()
            values.append(min(gaps) if gaps and not any(map(math.isnan, gaps)) else math.nan)
            sizes.append(len(gaps))
            unmeasured += any(map(math.isnan, gaps))
            known = single.loc[row["model"], row["algorithm"], row["at"], source, target]
            assert known["value"] == pytest.approx(values[-1], nan_ok=True)
            assert (known["models"], known["measured"]) == (len(gaps), len(gaps) - sum(map(math.isnan, gaps)))
        assert row["directions"] == 4
        assert row["known"] == sum(not math.isnan(value) for value in values)
        assert (row["least"], row["most"], row["unmeasured"]) == (min(sizes), max(sizes), unmeasured)
        if any(map(math.isnan, values)):
            assert math.isnan(row["value"])
            seen["nan"] += 1
        else:
            assert row["value"] == pytest.approx(sum(values) / 4)
            seen["value"] += 1
    assert all(seen.values()), seen


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6), epsilon=st.sampled_from([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2]))
def test_every_record_lies_in_a_window_of_the_grid(seed: int, epsilon: float) -> None:
    errors = made(seed)
    at = transfer_curves.grid(transfer_curves.points_of(errors, BY), epsilon)
    counts = errors["train_error"] * N
    for count in counts.round().unique():
        assert any(round(low * N, 6) <= count < round((low + epsilon) * N, 6) for low in at), count / N
    assert np.diff(at).max(initial=0.0) <= min(epsilon, 0.01) + 1e-12


def test_the_grid_is_the_evaluated_windows_where_there_are_such() -> None:
    points = transfer_curves.points_of(made(), BY)
    windows = [((0.0, 0.025), (0.05, 0.025), (0.1, 0.001)), ((0.05, 0.025), (0.0, 0.05)), "all"]
    assert transfer_curves.grid(points, 0.025, windows).tolist() == [0.0, 0.05]
    assert transfer_curves.grid(points, 0.001, windows[:1]).tolist() == [0.0, 0.05, 0.1]
    whole = transfer_curves.grid(points, 0.1).tolist()
    assert transfer_curves.grid(points, 0.1, windows).tolist() == whole  # none is so wide: their values are not known
    assert transfer_curves.grid(points, 0.1, ["all"]).tolist() == whole
    assert len(transfer_curves.grid([], 0.1)) == 0


def test_windows_that_touch_are_known_at_every_start_that_they_cover() -> None:
    figure1 = EVALUATED["figure1"]
    assert figure1 != "all"
    assert transfer_curves.grid([], 0.025, [figure1]).tolist() == [round(0.025 * i, 3) for i in range(9)]
    assert transfer_curves.grid([], 0.05, [figure1, "all"]).tolist() == [round(0.025 * i, 3) for i in range(8)]
    assert transfer_curves.grid([], 0.025, [figure1, ((0.0, 0.001), (0.1, 0.05))]).tolist() == [0.1, 0.125]


ENDS = {
    "transfer": ("target_error", "source_error"),
    "interlingual": ("translated_error", "train_error"),
    "intralingual": ("target_error", "translated_error"),
}
"""Of each gap, the error that it is of and the one that is taken away: equations 2 and 4."""


@pytest.mark.parametrize("kind", ["transfer", "interlingual", "intralingual"])
@pytest.mark.parametrize("mean", [False, True])
def test_scatter_by_loops(kind: transfer_curves.Gap, mean: bool) -> None:
    errors = made(7, unmeasured=0.3)
    points = transfer_curves.points_of(errors, BY)
    found = transfer_curves.scatter(points, BY, kind, mean=mean)
    others = errors[errors["source"] != errors["target"]]
    upper, lower = ENDS[kind]
    keys = ["run", "step", *([] if mean else ["target"])]
    gaps = others.assign(gap=others[upper] - others[lower]).groupby(keys)["gap"]
    expected = gaps.mean()[gaps.count() == gaps.size()]  # a mean over fewer targets is none
    given = found.set_index(keys)["value"]
    assert len(given) == len(expected)
    assert 0 < len(given) < len(errors)
    assert np.abs(given - expected.reindex(given.index)).max() < 1e-12
    assert ("target" in found) != mean


@pytest.mark.parametrize("mean", [False, True])
def test_a_cloud_of_training_errors_has_every_record_point_whatever_was_evaluated(mean: bool) -> None:
    errors = made(7, unmeasured=0.3)
    found = transfer_curves.scatter(transfer_curves.points_of(errors, BY), BY, "training", mean=mean)
    others = errors[errors["source"] != errors["target"]]
    keys = ["run", "step", *([] if mean else ["target"])]
    expected = others.drop_duplicates(keys).set_index(keys)["train_error"]
    assert len(found) == len(expected)
    assert (found.set_index(keys)["value"] == expected.reindex(found.set_index(keys).index)).all()


def test_the_clouds_of_figure_7_add_up_to_the_target_error() -> None:
    points = transfer_curves.points_of(made(5), BY)
    parts = [transfer_curves.scatter(points, BY, kind, mean=False) for kind in ("intralingual", "interlingual", "training")]
    keys = ["run", "step", "target"]
    whole = sum(part.set_index(keys)["value"] for part in parts)
    target = made(5).set_index(keys)["target_error"].reindex(whole.index)
    assert np.abs(whole - target).max() < 1e-15


def test_a_large_scatter_is_thinned_evenly() -> None:
    points = transfer_curves.points_of(made(points=30), BY)
    whole = transfer_curves.scatter(points, BY, "transfer", mean=False)
    found = transfer_curves.scatter(points, BY, "transfer", mean=False, most=50)
    assert len(found) == 50
    assert set(found["run"]) == set(whole["run"])
    merged = found.merge(whole, how="left", indicator=True)
    assert (merged["_merge"] == "both").all()


def test_directions_that_all_models_have() -> None:
    errors = made()
    errors = errors[~((errors["model"] == "b") & (errors["source"] == "zh"))]
    points = transfer_curves.points_of(errors, BY)
    assert transfer_curves.directions(points) == [("en", "de"), ("en", "zh"), ("zh", "de"), ("zh", "en")]
    assert transfer_curves.shared_directions(points) == [("en", "de"), ("en", "zh")]
    kept = transfer_curves.only(points, [("zh", "en"), ("xx", "yy")])
    assert [(each.names[0], each.source, each.targets) for each in kept] == [("a", "zh", ("en",))] * 2
    assert transfer_curves.shared_directions([]) == []
    assert transfer_curves.only(points, []) == []


def test_without_validation_examples_there_is_no_transfer_gap() -> None:
    errors = made()
    points = transfer_curves.points_of(errors, BY)
    assert transfer_curves.has_validation(points)
    bare = transfer_curves.points_of(errors.assign(target_error=math.nan, source_error=math.nan), BY)
    assert not transfer_curves.has_validation(bare)
    assert transfer_curves.scatter(bare, BY, "transfer", mean=True).empty
    assert transfer_curves.decompose(bare, BY, 0.2, 0.1)["intra"].isna().all()
    assert len(transfer_curves.decompose(bare, BY, 0.2, 0.1)) == 16


def test_no_points_have_empty_frames_with_their_columns() -> None:
    assert "value" in transfer_curves.curves([], BY, [0.0], 0.1)
    assert "value" in transfer_curves.mean_curves([], BY, [0.0], 0.1)
    assert "intra" in transfer_curves.decompose([], BY, 0.0, 0.1)
    assert "target" in transfer_curves.scatter([], BY, "transfer", mean=False)
