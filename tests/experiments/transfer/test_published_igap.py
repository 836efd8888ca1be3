"""The printed numbers of the IGap paper: every number of every table, with the table that it comes from."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path
from typing import get_args

import pandas as pd
import pytest

from backend.experiments.transfer.printed import tables as igap
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


def test_the_windows_are_those_of_the_tables() -> None:
    windows = {table: (set(igap.gaps(table)["at"]), set(igap.gaps(table)["epsilon"])) for table in igap.TABLES}
    assert windows.pop("table 9") == ({0.03}, {0.025})
    assert all(each == ({0.0}, {0.001}) for each in windows.values())
    assert len(windows) == 4


def test_table_2_repeats_the_averages_of_tables_6_and_7() -> None:
    summaries = igap.summaries()
    table2 = summaries[summaries["table"] == "table 2"]
    assert len(table2) == 10
    for row in table2.to_dict("records"):
        detail = {"XNLI": "table 6", "PAWS-X": "table 7"}[row["task"]]
        for column in ("igap", "test_accuracy"):
            assert row[column] == value(summaries, column, table=detail, model=row["model"])
        assert pd.isna(row["mean"])


def test_which_printed_averages_are_plain_means() -> None:
    """Tables 6 to 9 divide by one language too few, but for one row."""
    summaries = igap.summaries()
    detailed = summaries[summaries["table"] != "table 2"]
    assert len(detailed) == sum(len(rows(each.file)) for each in igap.TABLES.values()) == 21
    for row in detailed.to_dict("records"):
        plain = row["table"] == "table 3" or (row["table"], row["model"]) == ("table 6", "XLM-R")
        divisor = row["languages"] if plain else row["languages"] - 1
        assert row["igap"] == pytest.approx(row["mean"] * row["languages"] / divisor, abs=0.001), row
    assert value(detailed, "mean", table="table 7", model="XLM") == pytest.approx(1.166 / 6)


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


def test_ranking_accuracies_are_shares_of_91_pairs() -> None:
    frame = igap.ranking_accuracies()
    for row in rows("table1_tdr_accuracy_xnli.csv"):
        of = {"table": "table 1", "score": row["metric"]}
        assert {name: percent(value(frame, **of, language=name)) for name in [*EVERY, "average"]} == {
            name: row[name] for name in [*EVERY, "average"]
        }
    assert len(frame) == 4 * 16 + 4
    for row in frame[frame["language"] != igap.AVERAGE].to_dict("records"):
        share = Fraction(round(row["value"] * 91), 91)
        assert percent(float(share)) == percent(row["value"]), row


def test_the_hyperparameters_are_text_as_printed() -> None:
    frame = igap.hyperparameters().set_index("hyperparameter")
    assert set(frame["table"]) == {"table 4"}
    assert frame.loc["learning rate", "XNLI"] == "5e-6,1e-5,2e-5"
    assert frame.loc["epochs", ["XNLI", "PAWS-X", "FLORES-101"]].tolist() == ["40", "60", "32"]
    assert frame.loc["KL weight", "FLORES-101"] == ""
    assert len(frame) == len(rows("table4_hyperparameters.csv")) == 9


def test_a_source_in_words() -> None:
    assert igap.source("table 6") == "Chi, Huang & Mao 2023, table 6"
