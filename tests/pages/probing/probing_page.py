"""The probing page as its tests open it, on a workspace of invented probes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamlit.testing.v1 import AppTest

from backend.boards.recipe import Recipe
from tests.pages.abx.abx_page import MLM, ROOT

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

Query = dict[str, str | list[str]]
ONE: Query = {"model": MLM}
CROSS: Query = ONE | {"setting": "Others too"}
LAST = "checkpoint-2000"


@dataclass(frozen=True)
class Shown:
    """What stands on a page with exports: a figure, or a table (no figure)."""

    name: str
    data: pd.DataFrame
    recipe: Recipe
    drawn: go.Figure | None


def open_probing(**query: str | list[str]) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.run()
    app.switch_page("pages/probing/page.py")
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception, app.exception
    return app
