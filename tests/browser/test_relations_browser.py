"""Relations in a real browser: every view drawn, a click on a cell, links that restore, a table of covariates brought along."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from settled import click_figure, settle

if TYPE_CHECKING:
    from dashboard_server import Server
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
OF = "x=Language discrimination&y=IGap&x_model=Demo MLM %2B translation contrast"
VIEWS = {
    "Where does it predict?": "Two measures",
    "Selection": "Two measures",
    "All against all": "Many measures",
    "Regression": "Many measures",
    "Groups": "Languages",
}
"""Views and their groups."""
TABLE = "language,words\n" + "".join(
    f"{tag},{2**place}\n" for place, tag in enumerate(("ar", "de", "en", "es", "hi", "ja", "zh"))
)


def settled(page: Page) -> None:
    expect(page.get_by_role("heading", name="Relations")).to_be_visible(timeout=60_000)
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible(timeout=60_000)
    settle(page)


def test_every_view_draws_and_none_fails(page: Page, demo_url: str) -> None:
    page.goto("/relations")
    settled(page)
    for view, group in VIEWS.items():
        for name in (group, view):
            page.get_by_role("radio", name=name).or_(page.get_by_role("button", name=name, exact=True)).click()
            settled(page)
        expect(page.get_by_test_id("stException")).to_have_count(0)
        expect(page.locator("[data-testid=stAlertContentError]")).to_have_count(0)
        expect(page).to_have_url(re.compile("view="))


def test_models_stand_in_a_table_and_in_figures(page: Page, demo_url: str) -> None:
    page.goto("/relations?view=Models")
    expect(page.get_by_test_id("stDataFrame")).to_be_visible(timeout=60_000)
    page.get_by_role("radio", name="Differences").or_(page.get_by_role("button", name="Differences", exact=True)).click()
    settled(page)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page).to_have_url(re.compile("side_by_side=Differences"))
    page.goto(page.url)
    settled(page)
    expect(page.get_by_text("p > 0.05, corrected").first).to_be_visible()


def test_a_click_on_a_cell_opens_its_scatter_and_the_link_restores_it(page: Page, demo_url: str) -> None:
    page.goto(f"/relations?view=Where does it predict?&{OF}")
    settled(page)
    click_figure(page, 6.5 / 8, 1.5 / 5)  # the seventh checkpoint, layer 3
    expect(page).to_have_url(re.compile("view=Scatter|relations[?](?!.*view=)"), timeout=30_000)
    expect(page).to_have_url(re.compile("x_layer=3"))
    expect(page).to_have_url(re.compile("x_checkpoint=checkpoint-1000"))
    settled(page)
    sentence = "checkpoint-1000, layer 3"
    expect(page.get_by_text(sentence, exact=False).first).to_be_visible()
    page.goto(page.url)
    settled(page)
    expect(page.get_by_text(sentence, exact=False).first).to_be_visible()


def test_a_table_of_covariates_is_kept_and_chosen(page: Page, demo_server: Server) -> None:
    page.goto("/relations?unit=Language")
    settled(page)
    page.get_by_role("link", name="Add numbers of languages").click()
    expect(page).to_have_url(re.compile("shelf=Covariates"))
    files = [{"name": "sizes.csv", "mimeType": "text/csv", "buffer": TABLE.encode()}]
    page.locator("[data-testid=stFileUploader] input[type=file]").set_input_files(files)  # type: ignore[arg-type]
    expect(page.get_by_text("7 languages · 1 column: words")).to_be_visible()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_test_id("stToast")).to_contain_text("sizes is saved.")
    page.goto("/relations?unit=Language&x=sizes: words&y=Language discrimination")
    settled(page)
    expect(page.locator(".js-plotly-plot").first).to_contain_text("7 points (language)")
