"""The probing page as its tests open it, on a workspace of invented probes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.pages.abx.abx_page import MLM, Shown
from tests.pages.opened import opened

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

__all__ = ["CROSS", "LAST", "ONE", "Query", "Shown", "open_probing"]

Query = dict[str, str | list[str]]
ONE: Query = {"model": MLM}
CROSS: Query = ONE | {"setting": "Cross-lingual"}
LAST = "checkpoint-2000"


def open_probing(**query: str | list[str]) -> AppTest:
    return opened("probing", query)
