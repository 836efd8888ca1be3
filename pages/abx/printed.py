"""The paper's printed numbers beside one's own, where the same quantity is in a figure.

Only correlations are printed in its text and tables, no scores: the heatmaps and curves have nothing to be laid against.
"""

from __future__ import annotations

import streamlit as st

from isogloss.backend.experiments.abx.printed import tables as published
from isogloss.backend.models.entry import Model
from isogloss.pages.shared.abx.selection import Selection
from isogloss.pages.widgets.words import verbatim


def toggle(selection: Selection, model: Model) -> bool:
    """Return whether to show the paper's numbers: at first where the selection is like the paper's, else where asked for."""
    known = f"{selection.corpus.name} {selection.corpus.source or ''}"
    differing = published.differences(model.architecture, model.layers, model.dims, known, selection.languages)
    shown = st.toggle(
        "The paper's numbers",
        value=not differing,
        key="paper",
        bind="query-params",
        help=(
            f"Correlations printed in {verbatim(published.PAPER)}, measured there on {verbatim(published.SETTING)}. "
            + (f"This selection has {verbatim(', '.join(differing))}." if differing else "This selection is like the paper's.")
        ),
    )
    return bool(shown)
