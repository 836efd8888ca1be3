"""Show a table of covariates: its languages and columns, and its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from isogloss.backend.corpora.languages.languages import name_of
from isogloss.backend.experiments.words import count

if TYPE_CHECKING:
    from collections.abc import Iterable

    from isogloss.backend.corpora.covariates.reader import Covariates

SHOWN = 5
"""Columns that are named beside a table."""


def facts(languages: int, columns: Iterable[str]) -> str:
    """`7 languages · 2 columns: speakers, words`."""
    names = list(columns)
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{count(languages, 'language')} · {count(len(names), 'column')}: {', '.join(names[:SHOWN])}{more}"


def numbers(table: Covariates, _key: str, label: str) -> None:
    """Show a row a language, under the names of the columns."""
    frame = wide(table)
    frame.insert(0, "Language", [f"{name_of(tag)} · {tag}" for tag in frame.pop("language")])
    st.dataframe(frame, hide_index=True, placeholder="–", alt=label)


def csv(table: Covariates) -> bytes:
    """Write the table as CSV that Isogloss reads back."""
    return wide(table).to_csv(index=False).encode("utf-8")


def wide(table: Covariates) -> pd.DataFrame:
    """Tabulate a row a language: `language` and the columns, nan where a language has no number."""
    tags = table.languages
    columns = {name: [own.get(tag, float("nan")) for tag in tags] for name, own in table.columns.items()}
    return pd.DataFrame({"language": tags} | columns)
