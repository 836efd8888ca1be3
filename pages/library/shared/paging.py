"""Page through a long list."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import streamlit as st

from isogloss.backend.experiments.words import count

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

ROWS = 10


def window(total: int, what: str, *, key: str) -> tuple[DeltaGenerator, slice]:
    """Return where to draw the rows and which of `total` they are; below stand the pages and `12 sentences` (`what`)."""
    pages = max(1, math.ceil(total / ROWS))
    slot = st.container()
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        page = st.pagination(pages, key=f"{key}-page") if pages > 1 else 1
        st.caption(count(total, what))
    start = (min(page, pages) - 1) * ROWS
    return slot, slice(start, min(start + ROWS, total))
