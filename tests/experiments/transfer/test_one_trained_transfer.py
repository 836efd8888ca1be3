"""Fine-tuning on a task whose training part is in one language: accuracies, no IGap, and the gold order of table 5."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow.compute as pc
import pytest

from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.corpora.tasks.task import LabelledTask
from isogloss.backend.errors import SpecError
from isogloss.backend.experiments.transfer import curves as transfer_curves
from isogloss.backend.experiments.transfer import frames, ranking, summary
from isogloss.backend.experiments.transfer.data import data_of
from isogloss.backend.store import scores
from isogloss.backend.training.finetune.options import WITH_MNLI, record_interval
from tests.experiments.transfer.small_transfer import LANGUAGES, SmallTransfer, rows_of, run_all, small_task, small_transfer

if TYPE_CHECKING:
    from isogloss.backend.experiments.transfer.spec import TransferSpec

BY = ["model"]
COLUMNS = ["run", *BY, "learning_rate", "seed"]


def trained_in_english() -> LabelledTask:
    task = small_task(train=24, validation=30)
    others = pc.and_(pc.not_equal(task.table["language"], "en"), pc.equal(task.table["split"], "train"))
    return replace(task, table=task.table.filter(pc.invert(others)))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> SmallTransfer:
    made = small_transfer(tmp_path_factory.mktemp("one"))
    return replace(made, task=tasks.keep(trained_in_english(), "English", made.folder / "shared").id)


def errors_of(small: SmallTransfer, spec: TransferSpec) -> pd.DataFrame:
    workspaces = small.context().workspaces
    runs = [(key, "tiny", run.options.learning_rate, run.options.seed) for key, run in spec.shards().items()]
    return frames.errors_of(workspaces, runs, COLUMNS, LANGUAGES)


def test_every_language_is_tested_in_and_none_is_translated_into(small: SmallTransfer) -> None:
    spec = small.spec(seeds=(0, 1))
    files = run_all(spec, small.context())
    for file in files:
        rows = rows_of(file)
        assert {row["language"] for row in rows if row["split"] == "train"} == {"en"}
        assert {row["language"] for row in rows if row["split"] == "validation"} == set(LANGUAGES)
    found = scores.sql("SELECT metric, target FROM scores WHERE experiment = 'transfer'", list(small.context().workspaces))
    assert set(zip(found["metric"], found["target"], strict=True)) == {
        *(("transfer_accuracy", tag) for tag in LANGUAGES),
        ("transfer_gap", "de"),
        ("transfer_gap", "ru"),
        ("transfer_train_error", "en"),
    }
    errors = errors_of(small, spec)
    assert errors["translated_error"][errors["target"] != "en"].isna().all()
    assert summary.igaps(errors, BY, 0.0, 1.0)["value"].isna().all()
    accuracies = summary.accuracies(errors, BY).set_index("target")["accuracy"]
    task = tasks.load(small.task, small.context().workspaces)
    assert set(accuracies.index) == set(LANGUAGES)
    last = {(row["run"], row["language"]): row for file in files for row in rows_of(file) if row["split"] == "validation"}
    for tag in LANGUAGES:
        own = [1 - row["errors"] / row["n"] for (_, language), row in last.items() if language == tag]
        assert accuracies[tag] == pytest.approx(np.mean(own))
        assert {row["n"] for (_, language), row in last.items() if language == tag} == {len(task.rows("validation"))}
    points = transfer_curves.points_of(errors, BY)
    assert not transfer_curves.scatter(points, BY, "transfer", mean=False).empty
    assert transfer_curves.scatter(points, BY, "interlingual", mean=False).empty


def test_the_gold_of_table_5_ranks_the_targets_of_the_one_language(small: SmallTransfer) -> None:
    spec = small.spec(seeds=(0, 1))
    run_all(spec, small.context())
    gold = summary.accuracies(errors_of(small, spec), BY)
    accuracy = dict(zip(gold["target"], gold["accuracy"], strict=True))
    for values in ((0.2, 0.4), (0.4, 0.2)):
        gaps = pd.DataFrame({"source": "en", "target": ["de", "ru"], "value": values})
        found = ranking.ranking(
            gold, ranking.predictions(gaps, pd.DataFrame(columns=["metric", "layer", "source", "target", "value"]), 0), "source"
        )
        right = [
            (accuracy[a] - accuracy[b]) * (values[("de", "ru").index(b)] - values[("de", "ru").index(a)]) > 0
            for a, b in combinations(("de", "ru"), 2)
        ]
        assert found["language"].tolist() == ["en", ranking.AVERAGE]
        assert found["value"].tolist() == [float(np.mean(right))] * 2


def test_a_language_without_training_rows_is_no_source(small: SmallTransfer) -> None:
    spec = small.spec(sources=("de",))
    (run,) = spec.runs()
    with pytest.raises(SpecError, match="no training rows in de: train on en"):
        data_of(spec.provenance(run), small.context().workspaces)


def test_records_of_examples_without_translations_are_an_epoch_apart() -> None:
    assert record_interval(392_702, 32) == 12_272
    assert record_interval(100, 32) == 10
    assert (WITH_MNLI.epochs, WITH_MNLI.learning_rates) == (5, (2e-5,))
