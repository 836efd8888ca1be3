"""The shelf of covariates: tables of numbers of languages."""

from __future__ import annotations

from isogloss.backend.corpora.covariates import library, reader
from isogloss.backend.corpora.shared import apart
from isogloss.pages.library.covariates import report as covariates_report
from isogloss.pages.library.shared import adding, measure
from isogloss.pages.library.shared.shelf import Shelf


def ask() -> None:
    """Draw the uploader; a dropped table is read at once."""
    if dropped := adding.upload(library.KIND, "One table of numbers of languages", several=False):
        adding.read(SHELF, dropped, lambda files: apart.read(reader.read_file, files[0]))


SHELF = Shelf(
    library.KIND,
    title="Covariates",
    heading="Add covariates of languages",
    ask=ask,
    empty="Upload a CSV above: a row a language, columns of numbers. On Relations each column is a measure of languages.",
    facts=lambda entry: covariates_report.facts(len(entry.languages), entry.columns),
    suggest=lambda _table: "Covariates",
    contains="Numbers",
    show=covariates_report.numbers,
    file=covariates_report.csv,
    form="CSV",
    links=lambda entry, _name: measure.covariate_links(entry),
)
