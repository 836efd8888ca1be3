"""The numbers printed in Chi, Huang & Mao 2023: IGap, accuracy and transfer gap, here as shares, 0 to 1, and there in percent.

Every row names the table, or figure, that it is printed in. Frames are read once: they are not to be changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import pandas as pd

from isogloss.backend.recipe_mark import in_recipes

FOLDER = Path(__file__).parent
PAPER = "Chi, Huang & Mao 2023"
SOURCE = "en"
"""The source language of tables 2, 3 and 6 to 9."""
AVERAGE = "average"
"""Stands for a language in the paper's columns of that name."""

Task = Literal["XNLI", "PAWS-X", "XNLI + MNLI"]
GapTable = Literal["table 3", "table 6", "table 7", "table 8", "table 9"]


@dataclass(frozen=True)
class Setting:
    """What a table was measured on: the file it lies in, the task, and the window [at, at + epsilon) of training error."""

    file: str
    task: Task
    at: float = 0.0
    epsilon: float = 0.001


TABLES: dict[GapTable, Setting] = {
    "table 3": Setting("table3_algorithms_xnli.csv", "XNLI"),
    "table 6": Setting("table6_models_xnli.csv", "XNLI"),
    "table 7": Setting("table7_models_pawsx.csv", "PAWS-X"),
    "table 8": Setting("table8_algorithms_pawsx.csv", "PAWS-X"),
    "table 9": Setting("table9_models_xnli_mnli.csv", "XNLI + MNLI", at=0.03, epsilon=0.025),
}


@in_recipes
@cache
def gaps(table: GapTable) -> pd.DataFrame:
    """IGap, a row a model, algorithm and target: table, task, model, algorithm, source, target, at, epsilon, value.

    Tables 3 and 8 compare algorithms on XLM-R, the others models with the Vanilla algorithm. Averages are in `summaries`.
    """
    setting = TABLES[table]
    rows = [
        {
            **_kind(table, setting, row),
            "source": SOURCE,
            "target": target,
            "at": setting.at,
            "epsilon": setting.epsilon,
            "value": _share(row[target]),
        }
        for row in _rows(setting.file)
        for target in _targets(row)
    ]
    return pd.DataFrame(rows)


@in_recipes
@cache
def summaries() -> pd.DataFrame:
    """Return one row per model or algorithm of tables 2, 3 and 6 to 9.

    Columns: table, task, model, algorithm, test_accuracy, igap, mean, languages. `test_accuracy` and `igap` are the averages
    that the paper prints; `mean` is the plain mean of that row's languages, and `languages` how many they are; of table 2,
    which prints no languages, they are nan and 0. How printed averages differ from plain means: `docs/printed-numbers.md`.
    """
    rows = []
    for row in _rows("table2_models.csv"):
        for task, name in (("XNLI", "xnli"), ("PAWS-X", "pawsx")):
            kind = {"table": "table 2", "task": task, "model": row["model"], "algorithm": "Vanilla"}
            accuracy, average = _share(row[f"{name}_test_accuracy"]), _share(row[f"{name}_igap"])
            rows.append({**kind, "test_accuracy": accuracy, "igap": average, "mean": float("nan"), "languages": 0})
    for table, setting in TABLES.items():
        for row in _rows(setting.file):
            values = [_share(row[target]) for target in _targets(row)]
            accuracy, average = _share(row["test_accuracy"]), _share(row[AVERAGE])
            mean = {"mean": sum(values) / len(values), "languages": len(values)}
            rows.append({**_kind(table, setting, row), "test_accuracy": accuracy, "igap": average, **mean})
    return pd.DataFrame(rows)


@in_recipes
@cache
def transfer_gaps() -> pd.DataFrame:
    """Figure 6, the cross-lingual transfer gap of XLM-R on XNLI: table, task, model, source, target, value.

    Positive where the target is worse than the source. All 15 × 15, the diagonal 0; what is printed as -0.0 keeps its sign.
    """
    kind = {"table": "figure 6", "task": "XNLI", "model": "XLM-R"}
    rows = _rows("figure6_transfer_gap_xnli_xlmr.csv")
    return pd.DataFrame(
        [
            {**kind, "source": row["source"], "target": target, "value": _share(value)}
            for row in rows
            for target, value in row.items()
            if target != "source"
        ]
    )


ALL_RANDOM = {"accuracy": 0.626, "igap": 0.370}
"""XLM-R on XNLI where every label is random (section 5.4, of figure 3): accuracy and IGap, means over the targets."""


@in_recipes
@cache
def ranking_accuracies() -> pd.DataFrame:
    """Tables 1 and 5, the accuracy of ranked transfer directions: table, task, score, language, value.

    `score` is what ranks: L2, Dot, Cos or IGap. `language` is the fixed end of the directions, `average` the mean of all 15;
    table 5 has the training data of MNLI, which is English. All but the averages are multiples of 1/91, the pairs of 14.
    """
    rows = [
        {"table": "table 1", "task": "XNLI", "score": row["metric"], "language": language, "value": _share(value)}
        for row in _rows("table1_tdr_accuracy_xnli.csv")
        for language, value in row.items()
        if language != "metric"
    ]
    (only,) = _rows("table5_tdr_accuracy_mnli.csv")
    kind = {"table": "table 5", "task": "MNLI", "language": SOURCE}
    rows += [{**kind, "score": score, "value": _share(value)} for score, value in only.items() if score != "metric"]
    return pd.DataFrame(rows)


@in_recipes
@cache
def hyperparameters() -> pd.DataFrame:
    """Table 4 as printed, in text: table, hyperparameter, and a column each of XNLI, PAWS-X and FLORES-101."""
    return pd.DataFrame([{"table": "table 4", **row} for row in _rows("table4_hyperparameters.csv")])


def source(table: str) -> str:
    """Return where a number is printed, in words: the paper and the `table` of its row."""
    return f"{PAPER}, {table}"


def _kind(table: GapTable, setting: Setting, row: dict[str, str]) -> dict[str, str]:
    model, algorithm = (row["model"], "Vanilla") if "model" in row else ("XLM-R", row["algorithm"])
    return {"table": table, "task": setting.task, "model": model, "algorithm": algorithm}


def _targets(row: dict[str, str]) -> list[str]:
    return [name for name in row if name not in {"model", "algorithm", AVERAGE, "test_accuracy"}]


def _rows(file: str) -> list[dict[str, str]]:
    frame = pd.read_csv(FOLDER / file, dtype=str, keep_default_na=False)
    return [{str(name): str(value) for name, value in row.items()} for row in frame.to_dict("records")]


def _share(percent: str) -> float:
    # 63.7 / 100 is 0.637 and a bit: the share is the float that is written with three decimals.
    return round(float(percent) / 100, 3)
