"""Show what a corpus holds: its sentences side by side, or its languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from isogloss.backend.corpora.languages.languages import language
from isogloss.pages.library.corpora.text import preview

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus


def contents(corpus: ParallelCorpus, key: str, label: str) -> None:
    """Show the sentences side by side, or the table of languages."""
    shown = st.segmented_control(
        "Show", ["Sentences", "Languages"], default="Sentences", required=True, key=f"{key}-view", label_visibility="collapsed"
    )
    if shown == "Languages":
        languages(corpus.languages, corpus.report.source_names)
    else:
        preview(corpus, key=f"{key}-preview", label=label)


def languages(tags: Sequence[str], source_names: Mapping[str, str]) -> None:
    """Tabulate the languages with their script, family and the names that the source used."""
    known = [language(tag) for tag in tags]
    frame = pd.DataFrame(
        {
            "Language": [each.name for each in known],
            "Tag": list(tags),
            "In the source": [source_names.get(tag, "") for tag in tags],
            "Own name": [each.autonym for each in known],
            "Script": [each.script_name for each in known],
            "Family": [each.family for each in known],
            "Genus": [each.genus for each in known],
        }
    )
    st.dataframe(frame, hide_index=True, alt="Languages")
