"""The tables of covariates that a workspace keeps: `<workspace>/covariates/<content hash>/`, a table and `entry.json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from isogloss.backend import parquet
from isogloss.backend.corpora.covariates.reader import Covariates
from isogloss.backend.corpora.parallel.corpus import Warnings
from isogloss.backend.corpora.shared import kept
from isogloss.backend.corpora.shared.formats import Layout
from isogloss.backend.corpora.shared.kind import Kind

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = pa.schema([("column", pa.string()), ("language", pa.string()), ("value", pa.string())])
"""Numbers as Python writes them, which reads back the same."""


class CovariatesEntry(kept.Entry):
    """What is known of a kept table without reading its numbers."""

    columns: tuple[str, ...]
    languages: tuple[str, ...]


def _describe(table: Covariates, **common: Any) -> CovariatesEntry:
    content = kept.content_id(_table(table), SCHEMA.names)
    return CovariatesEntry(id=content, columns=tuple(table.columns), languages=tuple(table.languages), **common)


def _table(covariates: Covariates) -> pa.Table:
    rows = [(name, tag, repr(value)) for name, column in covariates.columns.items() for tag, value in sorted(column.items())]
    return pa.table([pa.array(column, pa.string()) for column in zip(*rows, strict=True)], schema=SCHEMA)


def _restore(entry: CovariatesEntry, table: pa.Table, _folder: Path) -> Covariates:
    columns: dict[str, dict[str, float]] = {}
    for column, tag, value in zip(*(table[name].to_pylist() for name in SCHEMA.names), strict=True):
        columns.setdefault(column, {})[tag] = float(value)
    return Covariates(columns, entry.warnings)


def _read_table(path: Path, entry: CovariatesEntry) -> pa.Table | None:
    table = kept.read_table(path, SCHEMA)
    return table if table is not None and kept.content_id(table, SCHEMA.names) == entry.id else None


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
    what="numbers of languages to set against scores",
    about="Import numbers of languages (speakers, words of training text) to set against scores.",
    looks="Lines",
    formats=(
        Layout(
            "CSV, TSV",
            "`language,speakers,words`: the names of the columns first, then a row a language: `de,90e6,1.5e9`",
        ),
    ),
    formats_note=(
        "Commas, semicolons or tabs; text is UTF-8; a language is a tag such as `de`, `deu` or `zh-Hans`, or its English "
        "name; numbers have a decimal point. A cell without a number is empty or `NA`."
    ),
    columns={"languages": lambda entry: len(entry.languages), "columns": lambda entry: ", ".join(entry.columns)},
    summary=lambda entry: f"{len(entry.languages)} languages, columns: {', '.join(entry.columns)}",
    scored=None,
)
entries, problems, keep, load, rename, remove = KIND.entries, KIND.problems, KIND.keep, KIND.load, KIND.rename, KIND.remove
