"""The pages of a list, whose numbers stand below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


def paged(total: int, size: int, key: str = "page") -> tuple[DeltaGenerator, slice]:
    """Draw the numbers of the pages; return where the rows are drawn, above them, and which of `total` rows they are.

    `size` are on a page. The page is a part of the link by its `key`; one that is not there is the first.
    """
    pages = max(1, -(-total // size))
    if not 1 <= st.session_state.get(key, 1) <= pages:
        st.session_state[key] = 1
    rows = st.container()
    page = st.pagination(pages, key=key, bind="query-params") if pages > 1 else 1
    return rows, slice((page - 1) * size, page * size)
