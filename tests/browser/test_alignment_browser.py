"""Alignment in a real browser: from a cell or point to its errors, computed by a worker, in their scripts, with categories."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pandas as pd
import pytest
from playwright.sync_api import expect
from settled import click_at, click_figure, settle
from visitors import visitor

from tests.jobs.running import wait

if TYPE_CHECKING:
    from dashboard_server import Server
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser
CHECKPOINTS, LAYERS = 8, 5
"""Of each of the demo's models; the layers are its four and the input embedding."""
LANGUAGES = "&languages=Arabic+·+ar&languages=English+·+en&languages=Chinese+·+zh"
ERRORS = f"/alignment?view=Errors&model=Demo+MLM&at_layer=3{LANGUAGES}"


def drawn(page: Page) -> None:
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    settle(page)


def selected(page: Page, amount: int) -> list[str]:
    """What the page's select boxes show, once there are so many."""
    boxes = page.get_by_test_id("stMain").get_by_test_id("stSelectbox").locator("input")
    expect(boxes).to_have_count(amount)
    return [each.input_value() for each in boxes.all()]


def test_a_cell_opens_its_errors_and_the_link_restores_it(page: Page, browser: Browser, demo_url: str) -> None:
    page.goto("/alignment?view=Layers+×+checkpoints")
    drawn(page)
    click_figure(page, 4.5 / CHECKPOINTS, 3.5 / LAYERS)  # the fifth checkpoint, the second layer from below
    expect(page.get_by_text("at layer 1 is not computed yet", exact=False)).to_be_visible()
    expect(page).to_have_url(re.compile("view=Errors"))
    for part in ("at_model=Demo[+]MLM(&|$)", "at_checkpoint=checkpoint-300(&|$)", "at_layer=1(&|$)"):
        expect(page).to_have_url(re.compile(part))
    shown = selected(page, 5)
    assert shown[:3] == ["Demo MLM", "checkpoint-300", "1"]

    with visitor(browser, demo_url) as fresh:
        fresh.goto(page.url)
        expect(fresh.get_by_text("at layer 1 is not computed yet", exact=False)).to_be_visible()
        assert selected(fresh, 5) == shown


def click_point(page: Page, line: int, point: int) -> None:
    """Click a point of the first figure's `line`, among those that have points."""
    points = page.locator(".js-plotly-plot").first.locator(".scatterlayer .trace .points")
    click_at(page, points.filter(has=page.locator("path")).nth(line).locator("path").nth(point))


def test_a_point_of_a_curve_opens_its_errors(page: Page, demo_url: str) -> None:
    page.goto(f"/alignment?model=Demo+MLM{LANGUAGES}")
    drawn(page)
    click_point(page, 0, 4)
    expect(page).to_have_url(re.compile("view=Errors"))
    expect(page).to_have_url(re.compile("at_layer=4"))
    expect(page.get_by_text("at layer 4 is not computed yet", exact=False)).to_be_visible()
    assert selected(page, 4)[:2] == ["checkpoint-2000", "4"]  # of one model: it is not asked which

    page.goto(f"/alignment?model=Demo+MLM&lines=Pairs{LANGUAGES}")
    drawn(page)
    expect(page.locator(".js-plotly-plot").first).to_contain_text("zh → en")
    click_point(page, 3, 1)  # of ar → en, en → ar, en → zh, zh → en
    expect(page).to_have_url(re.compile("at_layer=1"))
    assert selected(page, 4)[:3] == ["checkpoint-2000", "1", "zh → en"]


def test_errors_and_an_option_are_computed_and_errors_read_sorted_and_named(page: Page, demo_server: Server) -> None:
    page.goto(f"/alignment?unit=Sentences&view=Matrix{LANGUAGES}")  # the first request to this server
    drawn(page)
    expect(page.locator(".js-plotly-plot").first).to_contain_text("Mean of tokens")
    for number, (way, tag, direction) in enumerate((("zh+→+en", "zh", "ltr"), ("ar+→+en", "ar", "rtl"))):
        page.goto(f"{ERRORS}&at_pair={way}")
        button = page.get_by_role("button", name=re.compile(r"^(play_arrow )?Compute"))
        expect(button).to_have_count(1)
        button.click()
        expect(page.get_by_text(re.compile(r"errors? in [\d,]+ words: accuracy"))).to_be_visible()
        marked = page.locator(f"span[lang={tag}][dir={direction}] mark")
        expect(marked.nth(7)).to_be_visible()  # each of a page's words in its sentence
        assert all(len(each) for each in marked.all_inner_texts())
        assert page.locator("span[lang=en] mark").count() >= 8
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
        if number == 0:
            assert re.search(r"[一-鿿]", marked.first.inner_text())

    category = page.get_by_label("Category").first
    category.fill("a word of my own")
    page.keyboard.press("Enter")
    settle(page)
    page.reload()
    expect(page.get_by_label("Category").first).to_have_value("a word of my own")

    words = page.locator("span[lang=ar][dir=rtl] mark")
    unsorted = words.all_inner_texts()
    page.get_by_label("Sort by").click()
    page.get_by_role("option", name="Most confident").click()
    expect(page).to_have_url(re.compile("sort=Most"))
    settle(page)
    assert words.all_inner_texts() != unsorted
    page.get_by_label("Filter").fill("my own")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("filter=my"))
    expect(page.get_by_text(re.compile(r"^1 row\."))).to_be_visible()
    page.reload()
    expect(page.get_by_text(re.compile(r"^1 row\."))).to_be_visible()
    expect(page.get_by_label("Filter")).to_have_value("my own")
    an_option_is_computed_alone(page, demo_server)


def an_option_is_computed_alone(page: Page, server: Server) -> None:
    folder = server.workspace / "scores" / "alignment"
    before = set(folder.glob("*.parquet"))
    two = "&languages=German+·+de&languages=English+·+en"
    page.goto(f"/alignment?model=Demo+MLM&checkpoints=checkpoint-10&checkpoints=checkpoint-2000&similarity=Cosine{two}")
    expect(page.get_by_text("words of 1 language pair not computed yet at 2 of 2 checkpoints", exact=False)).to_be_visible()
    page.get_by_role("button", name="Compute").click()
    wait(lambda: len(set(folder.glob("*.parquet")) - before) == 2)  # a checkpoint each; the page draws the first at once
    drawn(page)
    expect(page.get_by_text("not computed", exact=False)).to_have_count(0)
    page.goto(page.url.replace("Cosine", "Euclidean+distance").replace("similarity=cosine", "similarity=l2"))
    # What scoring took beside encoding tells its price where the vectors are kept.
    expect(page.get_by_role("button", name=re.compile(r"^Compute \(about \d"))).to_be_visible()
    expect(page.get_by_text("All vectors are kept: nothing is encoded")).to_be_visible()
    rows = pd.concat(pd.read_parquet(path) for path in set(folder.glob("*.parquet")) - before)
    assert set(rows["variant"]) == {"word/cosine/5000 pairs"}
    assert sorted(rows["step"].unique()) == [10, 2000]
    assert {*rows["source"], *rows["target"]} == {"de", "en"}
