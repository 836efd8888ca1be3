"""Between which values the colours of a heatmap go, as the link and the recipe carry it."""

from __future__ import annotations

import streamlit as st

RANGES: dict[str, bool | None] = {"Automatic": None, "These values": True, "Whole scale": False}
"""What can be chosen, the default first, and whether the colours are then fitted to the values shown."""


def fitted(fixed: str, *, disabled: bool = False) -> bool | None:
    """Draw the select box; `fixed` says in words between which values the colours of the whole scale go.

    None leaves it to the values, as `heatmap_of` does.
    """
    chosen = st.selectbox(
        "Colour range",
        list(RANGES),
        key="colour_range",
        bind="query-params",
        disabled=disabled,
        width=150,
        help=f"Whole scale: {fixed}. Automatic: from the least to the greatest value shown where these span less than half of "
        "the scale; the colour bar names them.",
    )
    return RANGES[chosen]
