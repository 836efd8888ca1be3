"""The map in a browser that reaches nothing but the server: it draws, takes clicks, plays, and its link restores it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from settled import click_figure, settle

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

pytestmark = pytest.mark.browser
POINTS = "() => document.querySelector('.js-plotly-plot')._fullData.at(-1).customdata.map(([tag]) => tag)"
COLOURS = "() => Array.from(document.querySelector('.js-plotly-plot')._fullData.at(-1).marker.color)"
PLACE = """
(tag) => {
    const {_fullData, _fullLayout} = document.querySelector(".js-plotly-plot");
    const points = _fullData.at(-1), at = points.customdata.findIndex(([each]) => each === tag);
    const {xaxis, yaxis} = _fullLayout;
    return [xaxis.l2p(points.x[at]) / xaxis._length, yaxis.l2p(points.y[at]) / yaxis._length];
}
"""
"""Where a language is drawn, as a share of the map's width and height."""


def look(page: Page, query: str) -> None:
    page.goto(f"/abx?view=Map&{query}")
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    settle(page)


def test_the_map_draws_without_any_other_address_and_a_click_shows_one_languages_scores(page: Page, demo_url: str) -> None:
    elsewhere: list[str] = []

    def only_here(route: Route) -> None:
        if route.request.url.startswith((demo_url, "data:", "blob:")):
            route.continue_()
        else:
            elsewhere.append(route.request.url)
            route.abort()

    page.route("**/*", only_here)
    look(page, "map_measure=abx_meaning&pair_layer=3&map_groups=3")
    assert len(page.evaluate(POINTS)) == 10
    assert page.locator(".js-plotly-plot .scatterlayer .trace").count() >= 3  # land, isogloss, languages
    before = page.evaluate(COLOURS)
    page.locator(".js-plotly-plot").first.scroll_into_view_if_needed()
    click_figure(page, *page.evaluate(PLACE, "hi"))
    expect(page).to_have_url(re.compile("map_to=hi"))
    settle(page)
    assert len(page.evaluate(POINTS)) == 9
    assert page.evaluate(COLOURS) != before
    clicked = page.evaluate(COLOURS)
    look(page, page.url.partition("view=Map&")[2])
    assert page.evaluate(COLOURS) == clicked
    page.unroute("**/*")
    assert elsewhere == []


def test_layers_play_in_the_browser(page: Page, demo_url: str) -> None:
    look(page, "map_measure=abx_meaning&map_play=layer&pair_layer=0")
    first = page.evaluate(COLOURS)
    button = page.locator(".js-plotly-plot .updatemenu-button").first
    button.scroll_into_view_if_needed()
    button.click()
    expect(page.locator(".js-plotly-plot .slider-label").first).to_have_text("Layer: 4")
    last = page.evaluate(COLOURS)
    assert last != first
    look(page, "map_measure=abx_meaning&map_play=layer&pair_layer=4")
    assert page.evaluate(COLOURS) == last
