"""Whether the colours of a heatmap are fitted to the values that it shows, as the link and the recipe carry it."""

from __future__ import annotations

import streamlit as st

LABEL = "Fit colours to these values"


def fitted(fixed: str, *, by_default: bool = False, disabled: bool = False) -> bool:
    """Draw the toggle; `fixed` says in words between which values the colours go while it is off.

    A page whose colours are fitted by default has a state of its own: what was chosen there does not follow to the others.
    """
    return st.toggle(
        LABEL,
        value=by_default,
        key="fitted_shares" if by_default else "fitted",
        bind="query-params",
        disabled=disabled,
        help=f"On: from the least to the greatest value shown, which the colour bar names. Off: {fixed}.",
    )
