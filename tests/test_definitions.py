"""The table of measures in docs/definitions.md agrees with the code: its files, its names, and no line without its numbers."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import get_args

import duckdb
import pytest

from isogloss.backend.experiments.alignment.rows import MEASURES
from isogloss.backend.experiments.transfer.similarity import Measure as Similarity

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "docs" / "definitions.md").read_text(encoding="utf-8")
COLUMNS = ["measure", "name", "symbol", "range", "unit", "better", "source", "file"]
FAMILIES = (
    r"(abx|alignment|control|cosine|latent|majority|overlap|probe|retrieval|sentence|tokeniser|transfer|vectors|word)_\w+"
    r"|igap|cross_entropy|chrf|bleu|selectivity|description_length|compression"
)


def table(title: str) -> list[list[str]]:
    """The cells of the table below a heading, the columns' names first; lines that name a family are left out."""
    section = re.split(rf"^## {title}$", TEXT, flags=re.MULTILINE)[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|") and not set(line) <= set("|- ")]
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))] for line in lines]
    return [row for row in rows if len(row) > 1 or not row[0].startswith("**")]


MEASURED = [dict(zip(COLUMNS, row, strict=True)) for row in table("The measures")[1:]]


def names_written() -> set[str]:
    """Every `metric` of the table of scores: those of the demo's, and the literals and constants that rows are made of."""
    found = {f"{unit}_{measure}" for unit in ("word", "sentence") for measure in MEASURES} | set(get_args(Similarity))
    files = str(ROOT / "cache" / "demo" / "scores" / "*" / "*.parquet")
    found |= {name for (name,) in duckdb.execute("SELECT DISTINCT metric FROM read_parquet(?)", [files]).fetchall()}
    for path in (ROOT / "backend" / "experiments").rglob("*.py"):
        found |= _literals(ast.parse(path.read_text(encoding="utf-8")))
    return found - {"sentence_id"}


def _literals(tree: ast.AST) -> set[str]:
    """The literals that look like a metric, but for a spec's `experiment`, a schema's columns and a link's keys."""
    others: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "experiment":
            others |= _texts(node)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pa.schema":
            others |= _texts(node)
        if isinstance(node, ast.keyword) and node.arg == "key":
            others |= _texts(node)
    return {text for text in _texts(tree) if re.fullmatch(FAMILIES, text)} - others


def _texts(tree: ast.AST) -> set[str]:
    return {each.value for each in ast.walk(tree) if isinstance(each, ast.Constant) and isinstance(each.value, str)}


def test_the_table_has_its_columns() -> None:
    assert table("The measures")[0] == COLUMNS
    assert len(MEASURED) > 70
    assert len({row["measure"] for row in MEASURED}) == len(MEASURED)


@pytest.mark.parametrize("row", MEASURED, ids=lambda row: row["measure"])
def test_every_measure_has_a_range_a_unit_a_direction_and_a_source(row: dict[str, str]) -> None:
    assert all(row.values())
    assert re.match(r"(higher|lower|neither|as exact)\b", row["better"])


@pytest.mark.parametrize("title", ["The measures", "Intervals"])
def test_every_file_exists(title: str) -> None:
    files = [row[-1].strip("`") for row in table(title)[1:]]
    assert [name for name in files if not (ROOT / name).is_file()] == []


def test_every_metric_of_the_scores_has_a_line() -> None:
    described = {name for row in MEASURED for name in re.findall(r"`(\w+)`", row["name"])}
    written = names_written()
    assert {"probe_accuracy", "probe_f1", "control_accuracy", "selectivity", "majority_accuracy", "compression"} <= written
    assert {"abx_language", "word_weak", "sentence_strong_released", "transfer_gap", "igap", "vectors_l2", "bleu"} <= written
    assert written - described == set()
