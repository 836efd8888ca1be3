"""Accuracy on translations by the labels learned and by the true ones, against the records read row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

from isogloss.backend.experiments.transfer import curves as transfer_curves
from isogloss.backend.experiments.transfer import frames
from isogloss.backend.experiments.transfer.data import data_of
from isogloss.backend.experiments.transfer.memorised import accuracies, chance_accuracy, chance_igap
from isogloss.backend.training.finetune.records import unpack
from tests.experiments.transfer.small_transfer import LANGUAGES, SmallTransfer, rows_of, run_all, small_transfer

if TYPE_CHECKING:
    from pathlib import Path

BY = ["model", "corruption"]
COLUMNS = ["run", *BY, "learning_rate", "seed"]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> SmallTransfer:
    return small_transfer(tmp_path_factory.mktemp("memorised"))


def computed(small: SmallTransfer, **changes: Any) -> tuple[list[transfer_curves.Points], list[Path], Any]:
    """Record points of runs with labels replaced, the workspaces, and the spec."""
    spec = small.spec(corruptions=(0.0, 0.5, 1.0), **changes)
    context = small.context()
    run_all(spec, context)
    runs = [(key, "tiny", run.corruption, run.options.learning_rate, run.options.seed) for key, run in spec.shards().items()]
    errors = frames.errors_of(context.workspaces, runs, COLUMNS, LANGUAGES)
    return transfer_curves.points_of(errors, BY), list(context.workspaces), spec


@pytest.mark.parametrize(("at", "epsilon"), [(0.0, 1.0), (0.3, 0.3)])
def test_both_accuracies_are_those_of_the_predictions_behind_each_igap(small: SmallTransfer, at: float, epsilon: float) -> None:
    points, workspaces, spec = computed(small)
    learned = accuracies(points, BY, at, epsilon).set_index("corruption")
    true = accuracies(points, BY, at, epsilon, "true", workspaces).set_index("corruption")
    for key, run in spec.shards().items():
        provenance = spec.provenance(run)
        gold = {
            "learned": data_of(provenance, workspaces).data.labels,
            "true": data_of(provenance | {"corruption": 0.0}, workspaces).data.labels,
        }
        assert (gold["learned"] != gold["true"]).any() == (run.corruption > 0)
        rows = [row for row in rows_of(workspaces[0] / "records" / f"{key}.parquet") if row["split"] == "train"]
        train = {row["step"]: row["errors"] / row["n"] for row in rows if row["language"] == "en"}
        expected: dict[str, list[float]] = {"learned": [], "true": []}
        for target in ("de", "ru"):
            inside = [row for row in rows if row["language"] == target and at <= train[row["step"]] < at + epsilon]
            least = min(inside, key=lambda row: (round(row["errors"] / row["n"] - train[row["step"]], 9), row["step"]))
            made = unpack(least["predictions"], least["n"], 3)
            for which, labels in gold.items():
                expected[which].append(float(np.mean(made == labels)))
        assert learned.loc[run.corruption, "value"] == pytest.approx(np.mean(expected["learned"]))
        assert true.loc[run.corruption, "value"] == pytest.approx(np.mean(expected["true"]))
        assert (learned.loc[run.corruption, "directions"], learned.loc[run.corruption, "known"]) == (2, 2)
    assert learned.loc[0.0, "value"] == pytest.approx(true.loc[0.0, "value"])
    assert learned.loc[1.0, "value"] != pytest.approx(true.loc[1.0, "value"])


def test_a_mean_over_fewer_targets_is_none(small: SmallTransfer) -> None:
    points, _, _ = computed(small)
    (first, *others) = points
    unmeasured = first.translated.copy()
    unmeasured[:, 0] = np.nan
    lacking = [transfer_curves.replace(first, translated=unmeasured), *others]
    found = accuracies(lacking, BY, 0.0, 1.0)
    assert found["value"].isna().tolist() == [True, False, False]
    assert found["known"].tolist() == [1, 2, 2]
    nowhere = accuracies(points, BY, 0.0, 1e-6)
    assert nowhere["directions"].tolist() == [2, 2, 2]
    assert (nowhere["value"].isna() | (nowhere["known"] == 2)).all()


def test_igap_and_the_accuracy_learned_leave_the_training_error(small: SmallTransfer) -> None:
    """Accuracy + IGap = 1 - training error of each record: the printed 62.6 and 37.0 at labels all random sum to 99.6."""
    points, _, _ = computed(small)
    parts = transfer_curves.decompose(points, BY, 0.0, 1.0)
    gaps = parts.groupby("corruption")["inter"].mean()
    left = parts.groupby("corruption")["train"].mean()
    found = accuracies(points, BY, 0.0, 1.0).set_index("corruption")["value"]
    pd.testing.assert_series_equal(found + gaps, 1 - left, check_names=False)


def test_chance_is_the_papers_for_three_classes() -> None:
    assert round(100 * chance_accuracy(3), 1) == 33.3
    assert round(100 * chance_igap(3), 1) == 66.7
    random = np.random.default_rng(0)
    labels, made = random.integers(0, 3, 60_000), random.integers(0, 3, 60_000)
    assert float(np.mean(labels == made)) == pytest.approx(chance_accuracy(3), abs=0.01)
    assert float(np.mean(labels != made)) - 0.1 == pytest.approx(chance_igap(3, 0.1), abs=0.01)
