"""Add a table of covariates: a dropped CSV, shown before it is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from backend.corpora.covariates import library as covariates
from backend.corpora.covariates import reader
from backend.corpora.shared import apart
from backend.settings import settings
from pages.library.covariates import report as covariates_report
from pages.library.shared import found
from pages.library.shared.upload import read_dropped
from pages.widgets.words import plain

if TYPE_CHECKING:
    from backend.corpora.covariates.reader import Covariates
    from backend.corpora.shared.kept import Kind

KIND: Kind = "table of covariates"
FORMATS = """
| Format | Lines |
|---|---|
| CSV, TSV | `language,speakers,words`: the names of the columns first, then a row a language: `de,90e6,1.5e9` |

Commas, semicolons or tabs; text is UTF-8; a language is a tag such as `de`, `deu` or `zh-Hans`, or its English name; numbers
have a decimal point. A cell without a number is empty or `NA`.
"""


def draw() -> None:
    """Draw the uploader, or the table that was read."""
    if waiting := found.waiting(KIND):
        review(*waiting)
        return
    dropped = st.file_uploader("One table of numbers of languages", key=f"drop-covariates-{found.drop(KIND)}")
    with st.popover("Which files can be read?", type="tertiary", icon=":material/help:"):
        st.markdown(FORMATS)
    if dropped is None:
        return
    table = read_dropped([dropped], plain(dropped.name), lambda files: apart.read(reader.read_file, files[0]))
    if table is not None:
        suggested = found.suggestion(dropped.name) or "Covariates"
        found.hold(KIND, table, found.free(suggested, covariates.SHELF))


def review(table: Covariates, suggested: str) -> None:
    """Show the table that was read, to be named and kept or dropped."""
    covariates_report.recognised(table)
    found.name_and_keep(
        KIND,
        suggested,
        lambda name: covariates.keep(table, name, settings().workspace),
        same="numbers",
        losses=table.losses,
    )
    covariates_report.numbers(table, label="Numbers of the table")
