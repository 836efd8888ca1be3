"""List the kept tables of covariates: details, numbers, download, renaming and removal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backend.corpora.covariates import library as covariates
from pages.library.covariates import report as covariates_report
from pages.library.shared.kept_list import Shelf, in_memory

if TYPE_CHECKING:
    from backend.corpora.covariates.library import CovariatesEntry
    from backend.corpora.covariates.reader import Covariates

EMPTY = "Upload a CSV above: a row a language, columns of numbers. On Relations each column is a measure of languages."


def facts(entry: CovariatesEntry) -> str:
    """Write what stands beside the name: languages and columns."""
    return covariates_report.facts(len(entry.languages), entry.columns)


def show(entry: CovariatesEntry, table: Covariates, _key: str) -> None:
    """Draw the numbers."""
    covariates_report.numbers(table, label=f"Numbers of {entry.name}")


SHELF = Shelf(
    covariates.SHELF,
    facts,
    lambda _entry: [],
    in_memory(covariates.load),
    show,
    file=covariates_report.csv,
    empty=EMPTY,
    form="CSV",
    scored=None,
)
