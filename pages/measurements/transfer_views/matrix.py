"""Source × target matrices of IGap, test accuracy and transfer gap (figures 2 and 4 to 6)."""

from __future__ import annotations

import streamlit as st

from backend.experiments import transfer_summary
from pages.measurements.transfer_views import frames
from pages.measurements.transfer_views.selection import BY, Selection


def draw(selection: Selection) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        at, epsilon = frames.window()
    if selection.runs.empty:
        frames.say_empty(selection)
        return
    found = transfer_summary.igaps(frames.errors(selection), BY, at, epsilon)
    st.dataframe(found)
