"""Show what a reader found odd and what it left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from isogloss.backend.experiments.words import count
from isogloss.pages.widgets.words import verbatim

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.corpora.parallel.corpus import LeftOut

WARNINGS_SHOWN = 5


def warn(warnings: Sequence[str]) -> None:
    """Show warnings, the first in full view and the others folded away."""
    for warning in warnings[:WARNINGS_SHOWN]:
        st.warning(verbatim(warning), icon=":material/warning:")
    if more := warnings[WARNINGS_SHOWN:]:
        fold(more, count(len(more), "more warning"))


def fold(warnings: Sequence[str], label: str) -> None:
    """Show warnings folded away."""
    with st.expander(label, icon=":material/warning:"):
        for warning in warnings:
            st.markdown(f"- {verbatim(warning)}")


def list_rows(report: LeftOut, *, key: str, what: str = "row") -> None:
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
