"""A report's page draws its figures in a browser whose network is off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect
from visitors import visitor

from isogloss.backend.boards.report import to_page
from isogloss.backend.charts.parts.export import to_html
from isogloss.backend.charts.relation_scatter import relation_scatter
from tests.boards.test_report import parts

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


def test_figures_live_without_a_network(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(to_page("Meeting", parts(3)), encoding="utf-8")
    asked: list[str] = []
    with visitor(browser) as alone:
        alone.context.set_offline(True)
        alone.on("request", lambda request: asked.append(request.url))
        alone.goto(file.as_uri())
        expect(alone.locator(".js-plotly-plot .scatterlayer .js-line")).to_have_count(3)
        alone.get_by_role("link", name="Score 2").click()
        expect(alone.get_by_role("heading", name="3. Score 2")).to_be_in_viewport()
        alone.locator(".js-plotly-plot").last.hover(position={"x": 640, "y": 391})  # the middle point
        expect(alone.locator(".js-plotly-plot").last.locator(".hoverlayer .hovertext")).to_have_count(1)
        assert {url.partition(":")[0] for url in asked} <= {"file", "data", "blob"}


def test_many_points_are_drawn_in_a_page_of_their_own(browser: Browser, tmp_path: Path) -> None:
    x = np.linspace(-2, 2, 5000)
    rows = pd.DataFrame({"x": x, "y": x**2, "group": "All", "name": "point"})
    figure = relation_scatter(rows, x_title="Across", y_title="Up")
    assert figure.data[0].type == "scattergl"
    file = tmp_path / "points.html"
    file.write_text(to_html(figure, "Points", ""), encoding="utf-8")
    with visitor(browser) as alone:
        alone.goto(file.as_uri())
        expect(alone.locator(".js-plotly-plot .scatterlayer .point")).to_have_count(5000)
        expect(alone.get_by_text("WebGL is not supported")).to_have_count(0)
