"""The printed numbers of the IGap paper: every number of every table, with the table that it comes from."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import get_args

import pytest

from isogloss.backend.experiments.transfer.printed import tables as igap
from tests.experiments.printed_numbers import value

FOLDER = Path(igap.__file__).parent
XNLI = ["ar", "bg", "de", "el", "es", "fr", "hi", "ru", "sw", "th", "tr", "ur", "vi", "zh"]
PAWSX = ["de", "es", "fr", "ja", "ko", "zh"]
EVERY = sorted([*XNLI, "en"])


def rows(file: str) -> list[dict[str, str]]:
    with open(FOLDER / file, encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


def percent(share: float) -> str:
    return f"{share * 100:.1f}"


def printed_average(table: str, model: str, algorithm: str) -> float:
    return value(igap.summaries(), "igap", table=table, task=task_of(table), model=model, algorithm=algorithm)


def task_of(table: str) -> str:
    return {"table 7": "PAWS-X", "table 8": "PAWS-X", "table 9": "XNLI + MNLI"}.get(table, "XNLI")


def test_every_table_has_a_reader() -> None:
    assert set(igap.TABLES) == set(get_args(igap.GapTable))
    files = {each.file for each in igap.TABLES.values()} | {
        "figure6_transfer_gap_xnli_xlmr.csv",
        "table1_tdr_accuracy_xnli.csv",
        "table2_models.csv",
        "table4_hyperparameters.csv",
        "table5_tdr_accuracy_mnli.csv",
    }
    assert files == {path.name for path in FOLDER.glob("*.csv")}


def test_averages_are_printed_and_plain_means_beside_them() -> None:
    summaries = igap.summaries()
    assert [len(summaries), (summaries["table"] == "table 2").sum()] == [31, 10]
    assert value(summaries, "mean", table="table 7", model="XLM") == pytest.approx(1.166 / 6)
    assert value(summaries, "igap", table="table 2", task="PAWS-X", model="XLM") == value(
        summaries, "igap", table="table 7", model="XLM"
    )


@pytest.mark.parametrize("table", list(igap.TABLES))
def test_gaps_are_every_number_of_their_table(table: igap.GapTable) -> None:
    setting, frame = igap.TABLES[table], igap.gaps(table)
    targets = PAWSX if table in {"table 7", "table 8"} else XNLI
    kept = rows(setting.file)
    assert len(frame) == len(kept) * len(targets)
    assert list(frame.columns) == ["table", "task", "model", "algorithm", "source", "target", "at", "epsilon", "value"]
    assert set(frame["table"]) == {table}
    assert set(frame["task"]) == {task_of(table)}
    assert set(frame["source"]) == {"en"}
    for row in kept:
        model, algorithm = row.get("model", "XLM-R"), row.get("algorithm", "Vanilla")
        for target in targets:
            assert percent(value(frame, model=model, algorithm=algorithm, target=target)) == row[target]
        assert percent(printed_average(table, model, algorithm)) == row["average"]
        accuracy = value(igap.summaries(), "test_accuracy", table=table, model=model, algorithm=algorithm)
        assert percent(accuracy) == row["test_accuracy"]


def test_the_transfer_gaps_are_the_whole_matrix() -> None:
    frame = igap.transfer_gaps()
    kept = rows("figure6_transfer_gap_xnli_xlmr.csv")
    assert [row["source"] for row in kept] == EVERY
    assert len(frame) == 15 * 15
    assert set(frame["table"]) == {"figure 6"}
    for row in kept:
        for target in EVERY:
            assert percent(value(frame, source=row["source"], target=target)) == row[target]
        assert value(frame, source=row["source"], target=row["source"]) == 0


def test_ranking_accuracies_are_every_number_of_their_tables() -> None:
    frame = igap.ranking_accuracies()
    for row in rows("table1_tdr_accuracy_xnli.csv"):
        of = {"table": "table 1", "score": row["metric"]}
        assert {name: percent(value(frame, **of, language=name)) for name in [*EVERY, "average"]} == {
            name: row[name] for name in [*EVERY, "average"]
        }
    assert len(frame) == 4 * 16 + 4


def test_the_hyperparameters_are_text_as_printed() -> None:
    frame = igap.hyperparameters().set_index("hyperparameter")
    assert set(frame["table"]) == {"table 4"}
    assert frame.loc["learning rate", "XNLI"] == "5e-6,1e-5,2e-5"
    assert frame.loc["epochs", ["XNLI", "PAWS-X", "FLORES-101"]].tolist() == ["40", "60", "32"]
    assert frame.loc["KL weight", "FLORES-101"] == ""
    assert len(frame) == len(rows("table4_hyperparameters.csv")) == 9
