"""Report what a reader recognised: format, languages, sentences, first rows, warnings and rows left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from backend.corpora.languages.languages import language
from backend.experiments.words import count
from pages.library.corpora.text import preview
from pages.widgets.words import plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from backend.corpora.dictionaries.dictionary import DictionaryReport
    from backend.corpora.emergent.corpus import EmergentReport
    from backend.corpora.parallel.corpus import ParallelCorpus, ReadReport
    from backend.corpora.tagged.corpus import TaggedReport
    from backend.corpora.tasks.task import TaskReport

WARNINGS_SHOWN = 5


def show_recognised(corpus: ParallelCorpus, *, key: str) -> None:
    """Show in a line what the files are, and the warnings about them."""
    report = corpus.report
    source = f" · {report.source}" if report.source else ""
    found = f"{report.format} · {count(len(corpus.languages), 'language')} · {count(corpus.sentences, 'sentence')}{source}"
    st.markdown(f"**Recognised: {plain(found)}**")
    odd(report.warnings)
    list_skipped(report, key=key)


def contents(corpus: ParallelCorpus, *, key: str, label: str) -> None:
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


def odd(warnings: Sequence[str]) -> None:
    """Show warnings, the first in full view and the others folded away."""
    for warning in warnings[:WARNINGS_SHOWN]:
        st.warning(plain(warning), icon=":material/warning:")
    if more := warnings[WARNINGS_SHOWN:]:
        with st.expander(count(len(more), "more warning"), icon=":material/warning:"):
            for warning in more:
                st.markdown(f"- {plain(warning)}")


def list_skipped(
    report: ReadReport | DictionaryReport | TaskReport | TaggedReport | EmergentReport, *, key: str, what: str = "row"
) -> None:
    """List the rows (`what` they are called) that were left out, each with its file, line and reason."""
    if not report.skipped_count:
        return
    with st.expander(f"{count(report.skipped_count, what)} left out", icon=":material/playlist_remove:", key=f"{key}-skipped"):
        frame = pd.DataFrame(
            {
                "File": [row.file for row in report.skipped],
                "Line": [row.line for row in report.skipped],
                "Reason": [row.reason for row in report.skipped],
            }
        )
        st.dataframe(frame, hide_index=True, alt=f"{what.capitalize()}s that were left out")
        if report.more_skipped:
            st.caption(f"The first {len(report.skipped):,}; {report.more_skipped:,} more were left out.")
