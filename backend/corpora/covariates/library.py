"""The tables of covariates that a workspace keeps: `<workspace>/covariates/<content hash>/`, a table and `entry.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from isogloss.backend import parquet
from isogloss.backend.corpora.covariates.outcome import Cell, Outcome
from isogloss.backend.corpora.covariates.reader import Covariates
from isogloss.backend.corpora.parallel.corpus import Warnings
from isogloss.backend.corpora.shared import kept
from isogloss.backend.corpora.shared.formats import Layout
from isogloss.backend.corpora.shared.kind import Kind
from isogloss.backend.files import added, parse_json

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = pa.schema([("column", pa.string()), ("language", pa.string()), ("value", pa.string())])
"""Numbers as Python writes them, which reads back the same."""
MEASURED = SCHEMA.append(pa.field("details", pa.string()))
"""Of a table of outcomes: what the column is of and what is known of the number, as JSON."""


class CovariatesEntry(kept.Entry):
    """What is known of a kept table without reading its numbers."""

    columns: tuple[str, ...]
    languages: tuple[str, ...]
    outcomes: Mapping[str, Outcome] = added({})
    """What columns are of that are outcomes of a model."""


def _describe(content: Covariates, **common: Any) -> CovariatesEntry:
    table = _table(content)
    key = kept.content_id(table, table.schema.names)
    return CovariatesEntry(
        id=key, columns=tuple(content.columns), languages=tuple(content.languages), outcomes=dict(content.outcomes), **common
    )


def _table(covariates: Covariates) -> pa.Table:
    rows = [(name, tag, repr(value)) for name, column in covariates.columns.items() for tag, value in sorted(column.items())]
    if not rows:
        return SCHEMA.empty_table()
    table = pa.table([pa.array(column, pa.string()) for column in zip(*rows, strict=True)], schema=SCHEMA)
    if not covariates.outcomes:
        return table
    details = [
        json.dumps([asdict(covariates.outcomes[name]), asdict(covariates.cells[name][tag])], sort_keys=True)
        for name, tag, _ in rows
    ]
    return table.append_column(MEASURED.field("details"), pa.array(details, pa.string()))


def _restore(entry: CovariatesEntry, table: pa.Table, _folder: Path) -> Covariates:
    columns: dict[str, dict[str, float]] = {}
    outcomes: dict[str, Outcome] = {}
    cells: dict[str, dict[str, Cell]] = {}
    for row in table.to_pylist():
        column, tag = row["column"], row["language"]
        columns.setdefault(column, {})[tag] = float(row["value"])
        if "details" in row:
            outcome, cell = parse_json(row["details"])
            outcomes[column] = Outcome(**outcome)
            cells.setdefault(column, {})[tag] = Cell(**cell)
    return Covariates(columns, entry.warnings, outcomes=outcomes, cells=cells)


def _read_table(path: Path, entry: CovariatesEntry) -> pa.Table | None:
    schema = MEASURED if entry.outcomes else SCHEMA
    table = kept.read_table(path, schema)
    return table if table is not None and kept.content_id(table, schema.names) == entry.id else None


KIND = Kind(
    name="table of covariates",
    folder="covariates",
    table="covariates.parquet",
    entry=CovariatesEntry,
    describe=_describe,
    write=lambda content, path: parquet.write(path, _table(content), {}),
    read=_read_table,
    restore=_restore,
    report=lambda content: Warnings(content.warnings, content.losses),
    group="covariates",
    several="tables of covariates",
    what="numbers of languages to set against scores, and results of other tools",
    about="Import numbers of languages (speakers, words of training text) to set against scores.",
    looks="Lines",
    formats=(
        Layout(
            "CSV, TSV",
            "`language,speakers,words`: the names of the columns first, then a row a language: `de,90e6,1.5e9`",
        ),
        Layout("lm-evaluation-harness", "`results_….json`: `results`, a task, `acc,none`"),
        Layout("MTEB", "`<model>/<revision>/<task>.json`: `scores`, a split, a row a subset; `model_meta.json` beside it"),
        Layout("Every Eval Ever", "`evaluation_results`, a row a score, of `model_info`: schemas 0.1 to 0.3"),
        Layout("Hugging Face", "`<model>/.eval_results/<file>.yaml`: a `dataset` and a `value`"),
    ),
    formats_note=(
        "Commas, semicolons or tabs; text is UTF-8; a language is a tag such as `de`, `deu` or `zh-Hans`, or its English "
        "name; numbers have a decimal point. A cell without a number is empty or `NA`. Results of other tools are outcomes of "
        "a model: several files at once, or a `.zip` of them."
    ),
    columns={"languages": lambda entry: len(entry.languages), "columns": lambda entry: ", ".join(entry.columns)},
    summary=lambda entry: f"{len(entry.languages)} languages, columns: {', '.join(entry.columns)}",
    scored=None,
)
entries, problems, keep, load, rename, remove = KIND.entries, KIND.problems, KIND.keep, KIND.load, KIND.rename, KIND.remove
