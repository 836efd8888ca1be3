"""Two models' difference in transfer with its interval, against loops over what both predicted of each example."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from isogloss.backend.experiments.transfer import compared, directions, frames
from isogloss.backend.metrics.intervals import difference_ends
from isogloss.backend.metrics.many_tests import benjamini_hochberg, p_of_intervals
from isogloss.backend.metrics.transfer.paired import difference_of_accuracies, squares_at_most
from isogloss.backend.store import records
from isogloss.backend.training.finetune.records import unpack
from tests.pages.abx.abx_page import DEMO
from tests.pages.transfer.transfer_workspace import LANGUAGES, TRAINING, VALIDATION, fill

if TYPE_CHECKING:
    from pathlib import Path

BY = ["algorithm"]
MODELS = ["vanilla"], ["gaussian"]
WINDOW = {"at": 0.0, "epsilon": 0.2}


def errors(workspace: Path) -> pd.DataFrame:
    runs = [
        (file.run, file.provenance["options"]["algorithm"], file.provenance["options"]["seed"], 1e-5)
        for file in records.files([workspace])
    ]
    return frames.errors_of([workspace], runs, ["run", "algorithm", "seed", "learning_rate"], list(LANGUAGES))


def found(workspace: Path, measure: directions.Measure, *, asymmetric: bool = False) -> pd.DataFrame:
    first, second = MODELS
    return compared.compared(errors(workspace), [workspace], BY, measure, asymmetric, **WINDOW, first=first, second=second)


def by_hand(workspace: Path, part: str, language: str, sides: list[list[tuple[str, int]]]) -> tuple[float, float, float]:
    """The difference in error of the models of both sides, with its interval."""
    n = TRAINING if part == "train" else VALIDATION
    said, wrong = [], []
    for side in sides:
        files = {file.run: file for file in records.files([workspace])}
        rows = [pd.read_parquet(files[run].path).query("step == @step") for run, step in side]
        own = [each[(each["split"] == part) & (each["language"] == language)].iloc[0] for each in rows]
        said.append(np.stack([unpack(each["predictions"], n, 3) for each in own]))
        wrong.append(sum(each["errors"] for each in own) / n / len(own))
    difference = wrong[0] - wrong[1]
    return difference, *difference_of_accuracies(difference, squares_at_most(*said))


@pytest.mark.parametrize("measure", ["igap", "accuracy", "gap"])
def test_both_models_are_paired_example_by_example(tmp_path: Path, measure: directions.Measure) -> None:
    fill(tmp_path, DEMO)
    rows, given = found(tmp_path, measure), errors(tmp_path)
    measured = frames.measured_directions(given, BY, measure, False, **WINDOW)
    plain = directions.difference(measured, BY, *MODELS)
    pd.testing.assert_frame_equal(rows[[*plain]], plain)
    assert len(rows) == (4 if measure == "igap" else 6)
    for row in rows.itertuples():
        sides = []
        for (algorithm,) in MODELS:
            own = given[(given["algorithm"] == algorithm) & (given["source"] == row.source)]
            if measure == "igap":
                at = measured[(measured["algorithm"] == algorithm) & (measured["source"] == row.source)]
                least = at[at["target"] == row.target].iloc[0]
                sides.append([(least["run"], int(least["step"]))])
            else:
                sides.append([(run, 100) for run in own["run"].unique()])
        part = "train" if measure == "igap" else "validation"
        target, source = (by_hand(tmp_path, part, language, sides) for language in (row.target, row.source))
        if measure == "gap" and row.source == row.target:
            assert (row.interval, np.isnan(row.low)) == ("", True)
            continue
        assert row.interval == "paired"
        if measure == "accuracy":
            assert (row.value, row.low, row.high) == pytest.approx((-target[0], -target[2], -target[1]))
        else:
            assert row.value == pytest.approx(target[0] - source[0])
            low, high = (target[1] - source[2], target[2] - source[1])
            assert (row.low, row.high) == pytest.approx((low, high))
    p = p_of_intervals(rows["value"], rows["low"], rows["high"])
    assert rows["p_corrected"].tolist() == pytest.approx(benjamini_hochberg(p).tolist(), nan_ok=True)
    assert rows["percent"].tolist() == pytest.approx((100 * rows["value"]).tolist())


def test_other_examples_leave_the_widest_interval_and_an_asymmetry_has_none(tmp_path: Path) -> None:
    fill(tmp_path, DEMO)
    for file in records.files([tmp_path]):
        if file.provenance["options"]["algorithm"] == "gaussian":
            table = pd.read_parquet(file.path)
            records.write(tmp_path, file.run, pa.Table.from_pandas(table), file.provenance | {"draw": 7})
    rows = found(tmp_path, "accuracy")
    assert set(rows["interval"]) == {"widest"}
    measured = frames.measured_directions(errors(tmp_path), BY, "accuracy", False, **WINDOW)
    for row in rows.itertuples():
        own = measured[(measured["source"] == row.source) & (measured["target"] == row.target)].set_index("algorithm")
        sides = [own.loc[algorithm, ["value", "low", "high"]].tolist() for (algorithm,) in MODELS]
        assert (row.low, row.high) == pytest.approx(tuple(map(float, difference_ends(*sides))))
    none = found(tmp_path, "accuracy", asymmetric=True)
    assert len(none) == 2
    assert none["p_corrected"].isna().all()
    assert found(tmp_path, "accuracy").query("source == 'xx'").empty
