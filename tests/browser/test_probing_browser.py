"""The probing page in a real browser: every view drawn, a click that leads to the confusion matrix, a link that restores it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote_plus

import pytest
from dashboard_server import ROOT, Server, serving
from playwright.sync_api import expect
from settled import click_figure, settle

from tests.pages.probing.probing_workspace import fill

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
VIEWS = ["Layers × checkpoints", "Curves", "Languages", "Best layers", "Sources", "Compare", "Errors", "Regression"]
DEMO = ROOT / "cache" / "demo"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A dashboard with invented probes of the demo's models."""
    workspace = tmp_path_factory.mktemp("workspace")
    fill(workspace, DEMO)
    with serving(workspace, ISOGLOSS_DEMO=str(DEMO)) as running:
        yield running


def opened(page: Page, query: str) -> None:
    page.goto(f"/probing?{query}")
    drawn(page)


def drawn(page: Page) -> None:
    expect(page.get_by_role("heading", name="Probing")).to_be_visible()
    expect(page.locator(".js-plotly-plot .main-svg, [data-testid=stDataFrame]").first).to_be_visible()
    settle(page)


def test_every_view_draws_and_none_fails(page: Page) -> None:
    opened(page, "setting=Others+too")
    for view in [*VIEWS[1:], VIEWS[0]]:
        radio = page.locator(".st-key-view").get_by_role("radio", name=view, exact=True)
        radio.click()
        expect(radio).to_be_checked()
        drawn(page)
        expect(page).to_have_url(re.compile(f"view={re.escape(quote_plus(view))}(&|$)"))
        expect(page.get_by_test_id("stException")).to_have_count(0)
        expect(page.locator("[data-testid=stAlertContentError]")).to_have_count(0)


def test_a_click_on_a_cell_leads_to_its_confusion_matrix_and_on_to_its_sentences(page: Page) -> None:
    opened(page, "model=Demo+MLM&of_source=Arabic+·+ar")
    click_figure(page, 4.5 / 8, 3.5 / 7)  # eight checkpoints across; mix, mean and five layers down
    expect(page.get_by_role("heading", name="Misclassified")).to_be_visible()
    expect(page).to_have_url(re.compile("view=Errors"))
    expect(page).to_have_url(re.compile("at_probe=layer(\\+|%20)3"))
    expect(page.locator(".js-plotly-plot").first).to_contain_text("checkpoint-300, layer 3")
    click_figure(page, 1.5 / 4, 0.5 / 4)  # four tags: the first taken for the second
    settle(page)
    expect(page).to_have_url(re.compile("at_right=DET"))
    expect(page).to_have_url(re.compile("at_told=NOUN"))
    sentence = page.locator("span[lang=ar][dir=rtl]").first
    expect(sentence.locator("mark").first).to_be_visible()
    expect(page.get_by_text("DET → NOUN").first).to_be_visible()
    page.reload()
    settle(page)
    expect(page.locator(".js-plotly-plot").first).to_contain_text("checkpoint-300, layer 3")
    expect(page.get_by_text("DET → NOUN").first).to_be_visible()


def test_a_link_restores_the_view(page: Page) -> None:
    opened(page, "view=Sources&setting=Others+too&model=Demo+MLM&at_layers=Layer+3&own_counts=false")
    expect(page.locator(".js-plotly-plot").first).to_contain_text("checkpoint-2000: layer 3")
    page.get_by_role("button", name="View options").click()
    expect(page.get_by_role("switch", name="Include source = target")).not_to_be_checked()


def test_the_keyboard_reaches_a_cell(page: Page) -> None:
    opened(page, "view=Errors&model=Demo+MLM")
    box = page.get_by_role("combobox", name=re.compile(r"Layer$"))
    box.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    settle(page)
    expect(page).to_have_url(re.compile("at_probe=layer(\\+|%20)"))
    expect(page.locator(".js-plotly-plot").first).to_contain_text(re.compile("layer [0134]"))
