"""Everything that can be said of the chosen corpora before any training, a row each, and what should make one careful."""

from __future__ import annotations

import streamlit as st

from backend.experiments import emergent_frames
from pages.measurements.emergent_views import frames
from pages.measurements.emergent_views.selection import Selection


def draw(selection: Selection) -> None:
    st.dataframe(emergent_frames.overview(frames.of(selection)), hide_index=True)
