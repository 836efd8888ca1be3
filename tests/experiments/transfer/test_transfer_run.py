"""Whole transfer runs, tiny: what is kept of them, that IGap follows from it, and that nothing is computed twice."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

from isogloss.backend import parquet
from isogloss.backend.experiments.transfer import curves as transfer_curves
from isogloss.backend.experiments.transfer import queries as transfer_queries
from isogloss.backend.experiments.transfer import summary as transfer_summary
from isogloss.backend.experiments.transfer.data import data_of
from isogloss.backend.store import records, scores
from isogloss.backend.training.finetune.records import unpack
from tests.experiments.transfer.small_transfer import (
    LANGUAGES,
    SmallTransfer,
    only,
    rows_of,
    run_all,
    small_transfer,
)

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("one_thread")


OTHERS = ("de", "ru")
SEVERAL: dict[str, Any] = {"sources": ("en", "ru"), "learning_rates": (3e-4, 2e-3)}
WINDOWS = ((0.0, 0.05), (0.25, 0.0625), (0.5, 0.0625))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> SmallTransfer:
    return small_transfer(tmp_path_factory.mktemp("transfer"))  # of an architecture that learns fast, without dropout


@pytest.fixture(scope="module")
def unbroken(small: SmallTransfer) -> Path:
    """The records of the run of `small.spec()`, computed at one go."""
    return run_all(small.spec(), small.context("unbroken"))[0]


@pytest.fixture(scope="module")
def several(small: SmallTransfer) -> list[Path]:
    """Four runs: two sources, two learning rates."""
    spec = small.spec(**SEVERAL, training={"epochs": 14})
    return run_all(spec, small.context("several"))


def igap_by_rows(paths: list[Path], source: str, target: str, at: Fraction, epsilon: Fraction) -> float:
    """The paper's definition, row by row, in exact fractions; nan where no model lies in the window."""
    wrong = {}
    for path in paths:
        for row in rows_of(path):
            if row["source"] == source and row["split"] == "train":
                wrong[row["run"], row["step"], row["language"]] = Fraction(row["errors"], row["n"])
    gaps = []
    for (run, step, language), train in wrong.items():
        if language == source and at <= train < at + epsilon:
            gaps.append(wrong[run, step, target] - train)
    return float(min(gaps)) if gaps else math.nan


def rows_of_scores(path: Path) -> pd.DataFrame:
    """Without when they were written."""
    found: pd.DataFrame = parquet.read(path).drop_columns(["created_at"]).to_pandas()
    return found.sort_values(["metric", "target"], ignore_index=True)


def found_igaps(frame: pd.DataFrame, at: float, epsilon: float) -> dict[tuple[str, str], float]:
    found = transfer_summary.igaps(frame, [], at, epsilon)
    return {(row.source, row.target): row.value for row in found.itertuples()}


def test_the_records_say_what_was_predicted_of_whom(small: SmallTransfer, unbroken: Path) -> None:
    spec = small.spec()
    (run,) = spec.runs()
    provenance = parquet.metadata(unbroken)
    assert provenance["classes"] == 3
    assert (
        provenance["steps"],
        provenance["planned"],
        provenance["reason"],
        provenance["examples"],
        provenance["truncated"],
    ) == (
        24,
        24,
        "epochs",
        24,
        0,
    )
    assert (provenance["complete"], provenance["label"], provenance["model"]) == (True, run.checkpoint.label, "tiny")
    assert provenance["seconds"] > 0
    assert provenance.items() >= spec.provenance(run).items()
    data = data_of(provenance, small.context().workspaces).data
    rows = rows_of(unbroken)
    parts = [("train", "en"), ("train", "de"), ("train", "ru"), *(("validation", tag) for tag in LANGUAGES)]
    assert [(row["step"], row["split"], row["language"]) for row in rows] == [
        (k, *part) for k in range(3, 25, 3) for part in parts
    ]
    for row in rows:
        gold = data.labels if row["split"] == "train" else data.validation_labels[row["language"]]
        made = unpack(row["predictions"], row["n"], provenance["classes"])
        assert (row["errors"], row["n"]) == (int(np.count_nonzero(made != gold)), len(gold))
        assert (row["run"], row["source"]) == (only(spec), "en")
        assert row["epoch"] == math.ceil(row["step"] / 3)
    errors = {row["errors"] for row in rows if (row["split"], row["language"]) == ("train", "en")}
    assert len(errors) > 3  # it learns, and not at once
    file = records.files([unbroken.parents[1]])[0]
    assert records.predictions(file, 6) == {
        (row["split"], row["language"]): row["predictions"] for row in rows if row["step"] == 6
    }


def test_the_target_error_is_the_sum_of_its_parts_on_every_row(several: list[Path]) -> None:
    """E_target = E_train + G_inter + G_intra, in counts and in what the figures show."""
    for path in several:
        wrong = {(row["step"], row["split"], row["language"]): Fraction(row["errors"], row["n"]) for row in rows_of(path)}
        source = rows_of(path)[0]["source"]
        frame = transfer_queries.errors([path], LANGUAGES)
        steps = sorted({step for step, _, _ in wrong})
        assert len(frame) == 3 * len(steps) > 24
        for row in frame.itertuples():
            train = wrong[row.step, "train", source]
            inter = wrong[row.step, "train", row.target] - train
            intra = wrong[row.step, "validation", row.target] - wrong[row.step, "train", row.target]
            assert train + inter + intra == wrong[row.step, "validation", row.target]
            assert (row.train_error, row.translated_error) == (float(train), float(train + inter))
            assert (row.target_error, row.source_error) == (
                float(train + inter + intra),
                float(wrong[row.step, "validation", source]),
            )
            assert (row.n, row.n_target) == (24, 9)
        assert frame.loc[frame["target"] == source, "translated_error"].tolist() == [
            float(wrong[step, "train", source]) for step in steps
        ]


def test_igap_follows_from_the_stored_rows(several: list[Path]) -> None:
    """For every window with an edge on a twelfth: the errors are 24ths, so that every second model sits on an edge."""
    frame = transfer_queries.errors(several, LANGUAGES)
    seen = {"empty": 0, "value": 0, "on the lower edge": 0, "on the upper edge": 0}
    trained = {
        (row["source"], Fraction(row["errors"], row["n"]))
        for path in several
        for row in rows_of(path)
        if row["split"] == "train" and row["language"] == row["source"]
    }
    for twelfth in range(13):
        for epsilon in (Fraction(1, 24), Fraction(1, 12), Fraction(1, 4)):
            at = Fraction(twelfth, 12)
            found = found_igaps(frame, float(at), float(epsilon))
            assert sorted(found) == [("en", "de"), ("en", "ru"), ("ru", "de"), ("ru", "en")]
            for (source, target), value in found.items():
                expected = igap_by_rows(several, source, target, at, epsilon)
                assert value == pytest.approx(expected, abs=1e-12, nan_ok=True)
                seen["empty" if math.isnan(expected) else "value"] += 1
                seen["on the lower edge"] += (source, at) in trained
                seen["on the upper edge"] += (source, at + epsilon) in trained
    assert min(seen.values()) > 10


def test_scores_are_those_of_the_last_model_and_of_the_runs_own_window(small: SmallTransfer, several: list[Path]) -> None:
    workspace = several[0].parents[1]
    files = scores.shards([workspace], "transfer")
    assert {file.path.stem for file in files} == {path.stem for path in several}
    for path in several:
        table = {(row["metric"], row["target"]): row for row in rows_of(scores.shard_path(workspace, "transfer", path.stem))}
        rows = rows_of(path)
        source, last = rows[0]["source"], max(row["step"] for row in rows)
        wrong = {(row["split"], row["language"]): Fraction(row["errors"], row["n"]) for row in rows if row["step"] == last}
        expected: dict[tuple[str, str], float] = {("transfer_train_error", source): float(wrong["train", source])}
        for target in LANGUAGES:
            expected["transfer_accuracy", target] = float(1 - wrong["validation", target])
            if target != source:
                expected["transfer_gap", target] = float(wrong["validation", target] - wrong["validation", source])
                expected["igap", target] = igap_by_rows([path], source, target, Fraction(0), Fraction(1, 1000))
        assert {key: row["value"] for key, row in table.items()} == pytest.approx(expected, abs=1e-12, nan_ok=True)
        provenance = parquet.metadata(path)
        for (metric, _), row in table.items():
            assert (row["experiment"], row["run"], row["source"], row["model"]) == ("transfer", path.stem, source, "tiny")
            assert (row["corpus"], row["seed"], row["checkpoint"]) == (
                small.task,
                provenance["options"]["seed"],
                small.checkpoint.fingerprint,
            )
            assert row["n"] == (9 if metric in ("transfer_accuracy", "transfer_gap") else 24)
            if metric in ("transfer_accuracy", "transfer_train_error"):
                assert 0 <= row["low"] <= row["value"] <= row["high"] <= 1
                assert row["low"] < row["high"]
    values = scores.query("SELECT value FROM {scores} WHERE metric = 'igap'", {}, [file.path for file in files])["value"]
    assert values.isna().any()  # some never came that far: no value, not zero
    assert values.notna().any()


def test_scores_that_went_are_made_again_from_the_records(small: SmallTransfer, unbroken: Path) -> None:
    """Without training: a second call finds the records and writes the very rows."""
    path = scores.shard_path(unbroken.parents[1], "transfer", unbroken.stem)
    before = rows_of_scores(path)
    path.unlink()
    run_all(small.spec(), small.context("unbroken"))
    assert len(before) > 5
    pd.testing.assert_frame_equal(rows_of_scores(path), before)


def test_windows_asked_and_evaluating_always_give_the_same_igap(small: SmallTransfer, several: list[Path]) -> None:
    spec = small.spec(**SEVERAL, training={"epochs": 14, "windows": WINDOWS})
    windowed = run_all(spec, small.context("windowed"))
    always, asked = (transfer_queries.errors(paths, LANGUAGES) for paths in (several, windowed))
    others = asked["target"] != asked["source"]
    assert asked.loc[others, "translated_error"].isna().mean() > 0.4  # it does spare something
    for one, other in zip(several, windowed, strict=True):  # the same models, whatever is asked of them
        assert [row["errors"] for row in rows_of(one) if (row["split"], row["language"]) == ("train", row["source"])] == [
            row["errors"] for row in rows_of(other) if (row["split"], row["language"]) == ("train", row["source"])
        ]
    values = 0
    for at, epsilon in WINDOWS:
        expected = found_igaps(always, at, epsilon)
        assert found_igaps(asked, at, epsilon) == pytest.approx(expected, abs=0, nan_ok=True)
        values += sum(not math.isnan(value) for value in expected.values())
    assert values > 4
    # A window that was not asked for: where all of its models were evaluated by chance, the same; else not known, nan.
    wide, sizes = found_igaps(always, 0.0, 1.1), transfer_summary.igaps(asked, [], 0.0, 1.1)
    assert (sizes["measured"] < sizes["models"]).all()
    assert sizes["value"].isna().all()
    assert not any(math.isnan(value) for value in wide.values())


def test_without_task_data_random_labels_are_memorised(small: SmallTransfer) -> None:
    spec = small.spec(data="parallel", corpus=small.corpus, training={"epochs": 60, "patience": 2}, learning_rates=(4e-3,))
    (path,) = run_all(spec, small.context("random"))
    provenance, rows = parquet.metadata(path), rows_of(path)
    assert {row["split"] for row in rows} == {"train"}
    assert provenance["reason"] == "no errors left"
    assert provenance["steps"] < provenance["planned"] == 60 * 3
    assert (provenance["examples"], provenance["classes"]) == (20, 2)
    frame = transfer_queries.errors([path], LANGUAGES)
    assert frame["target_error"].isna().all()
    assert frame["source_error"].isna().all()
    for target in OTHERS:
        expected = igap_by_rows([path], "en", target, Fraction(0), Fraction(1, 1000))
        assert found_igaps(frame, 0.0, 0.001)["en", target] == pytest.approx(expected)
    metrics = {row["metric"] for row in rows_of(scores.shard_path(path.parents[1], "transfer", path.stem))}
    assert metrics == {"transfer_train_error", "igap"}
    assert transfer_summary.accuracies(frame.assign(learning_rate=1.0), []).empty
    assert transfer_curves.decompose(transfer_curves.points_of(frame, []), [], 0.0, 0.001)["intra"].isna().all()
