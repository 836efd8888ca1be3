"""The curves of transfer in a browser: a slider redraws and its link restores it; from examples to their direction's curve."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from settled import settle
from visitors import visitor

if TYPE_CHECKING:
    from dashboard_server import Server
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def server(fine_tuned: Server) -> Server:
    return fine_tuned


def lines(page: Page) -> list[str]:
    """The paths of the lines drawn."""
    expect(page.locator(".js-plotly-plot .scatterlayer .js-line").first).to_be_attached()
    settle(page)
    return [str(line.get_attribute("d")) for line in page.locator(".js-plotly-plot .scatterlayer .js-line").all()]


def open_options(page: Page) -> None:
    """What a view can be told beside what it shows is folded away under one button."""
    page.get_by_role("button", name="View options").click()


def test_the_slider_redraws_and_the_link_restores_what_is_seen(page: Page, browser: Browser, server: Server) -> None:
    page.goto(f"{server.url}/transfer?data=Small+task&model=Demo+MLM&view=Curves&lines=Directions&points=true")
    before = lines(page)
    open_options(page)
    page.get_by_test_id("stSlider").locator("input[type=range]").press("ArrowRight")
    expect(page).to_have_url(re.compile("curve_epsilon=5%25"))
    settle(page)
    after = lines(page)
    assert after != before
    assert page.locator(".js-plotly-plot .gl-canvas").count() > 0

    with visitor(browser, server.url) as fresh:
        fresh.goto(page.url)
        assert lines(fresh) == after


@pytest.mark.parametrize(
    "view", ["Curves&lines=Panels", "Scatter&scatter_panels=true", "Scatter&scatter_panels=true&scatter_over=Steps"]
)
def test_every_panel_has_its_points_within_its_scales(page: Page, server: Server, view: str) -> None:
    """Plotly draws nothing, and says nothing, where one of two matched scales has its ends and the other has none."""
    page.goto(f"{server.url}/transfer?data=Small+task&model=Demo+MLM&view={view}")
    expect(page.locator(".js-plotly-plot .xaxislayer-above, .js-plotly-plot .cartesianlayer").first).to_be_attached()
    settle(page)
    inside = page.evaluate(
        """() => {
          const drawn = document.querySelector('.js-plotly-plot');
          const name = (axis) => axis[0] + 'axis' + axis.slice(1);
          return drawn._fullData.map((trace) => {
            const [left, right] = drawn._fullLayout[name(trace.xaxis)].range;
            const [low, high] = drawn._fullLayout[name(trace.yaxis)].range;
            const known = Array.from(trace.x).map((x, i) => [x, trace.y[i]]).filter(([x, y]) => Number.isFinite(y));
            return [trace.xaxis, known.length > 0, known.every(([x, y]) => left <= x && x <= right && low <= y && y <= high)];
          });
        }"""
    )
    assert len({axis for axis, _, _ in inside}) == 4  # two languages trained on, each tested in two others
    assert all(some and every for _, some, every in inside)


def test_from_the_examples_to_the_curve_of_their_direction(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/transfer?data=Small+task&model=Demo+MLM&view=Curves&lines=Directions&directions=en+→+zh")
    lines(page)
    page.get_by_test_id("stMain").get_by_role("radio", name="Examples").or_(
        page.get_by_test_id("stMain").get_by_role("button", name="Examples")
    ).first.click()
    page.get_by_role("button", name="Curve of this direction").click()
    lines(page)
    open_options(page)
    chosen = page.get_by_test_id("stMultiSelect").filter(has_text="Directions")
    expect(chosen.get_by_text("en → de")).to_be_visible()
    expect(chosen.get_by_text("en → zh")).to_have_count(0)
    expect(page).to_have_url(re.compile("directions=en"))
