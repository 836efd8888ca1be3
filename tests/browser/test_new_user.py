"""A new user's first ten minutes in a real browser: own corpus, own model, computed, watched, looked at and clicked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pandas as pd
import pytest
from own_inputs import make_model, table
from playwright.sync_api import expect
from settled import click_figure, kept, settle

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.browser


def test_few_presses_lead_from_files_to_a_figure_and_from_home_to_the_worst_pairs(page: Page, server, tmp_path: Path) -> None:
    """Presses of the mouse, and files dropped; the folder's path is typed, and Enter looks it up."""
    presses = 0

    def press(what: Locator) -> None:
        nonlocal presses
        what.click()
        presses += 1

    folder = make_model(tmp_path / "my_model")
    page.goto("/")
    press(page.get_by_role("link", name="Add a corpus"))
    dropped = {"name": "weather.tsv", "mimeType": "text/tab-separated-values", "buffer": table().encode()}
    page.locator("[data-testid=stFileUploader] input[type=file]").set_input_files([dropped])  # type: ignore[list-item]
    presses += 1
    press(page.get_by_role("button", name="Save"))
    path = page.get_by_label("Folder on the server")
    path.fill(str(folder))
    path.press("Enter")
    press(page.get_by_role("button", name="Save 2 checkpoints"))
    press(page.get_by_role("button", name="Start", exact=True))
    expect(page.get_by_role("progressbar").first).to_be_visible()
    press(page.get_by_role("link", name="Measure: ABX").first)
    figures = page.locator(".js-plotly-plot .main-svg")
    expect(figures.first).to_be_visible()
    expect(page.get_by_text("not computed", exact=False)).to_have_count(0)
    print(f"From files to the first figure of one's own: {presses} presses.")
    assert presses <= 6

    page.goto("/")
    presses = 0
    press(page.locator(".st-key-card-abx").get_by_role("link"))
    expect(figures.first).to_be_visible()
    press(page.locator(".st-key-view").get_by_role("radio", name="Pairs", exact=True))
    expect(page.get_by_role("heading", name="Worst pairs")).to_be_visible()
    print(f"From Home to the worst pairs: {presses} presses.")
    assert presses <= 2


def test_from_an_empty_workspace_to_a_cell(page: Page, server, tmp_path: Path) -> None:
    folder = make_model(tmp_path / "my_model")
    page.goto("/")
    expect(page.get_by_text("Measurements of models need a corpus and a model first.")).to_be_visible()

    page.get_by_role("link", name="Add a corpus").click()
    dropped = {"name": "weather.tsv", "mimeType": "text/tab-separated-values", "buffer": table().encode()}
    page.locator("[data-testid=stFileUploader] input[type=file]").set_input_files([dropped])  # type: ignore[list-item]
    expect(page.get_by_text("3 languages · 30 sentences").first).to_be_visible()
    page.get_by_role("button", name="Save").click()
    expect(kept(page, "weather")).to_be_visible()

    page.get_by_test_id("stButtonGroup").get_by_text("Models", exact=True).click()
    settle(page)  # the form of the next step, which stands below what was saved, has gone: for a moment there are two
    page.get_by_label("Folder on the server").fill(str(folder))
    page.get_by_role("button", name="Look up").click()
    page.get_by_role("button", name="Save 2 checkpoints").click()
    expect(kept(page, "2 checkpoints, steps 0 to 500")).to_be_visible()

    expect(page.get_by_text("Measure my_model on weather: ABX")).to_be_visible()
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_visible()
    page.get_by_role("link", name="Measure: ABX").first.click()
    expect(
        page.get_by_text("not computed yet at 2 of 2 checkpoints (checkpoint-0, checkpoint-500)", exact=False)
    ).to_be_visible()
    expect(page.get_by_text("Nothing is computed for this selection yet", exact=False)).to_be_visible()
    expect(page.get_by_text("How long it takes is said once it runs", exact=False)).to_be_visible()
    page.get_by_role("button", name="Compute").click()
    expect(page.get_by_role("progressbar").first).to_be_visible()
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(page.get_by_text("not computed", exact=False)).to_have_count(0)
    expect(page.get_by_role("button", name="Compute")).to_have_count(0)

    rows = pd.concat(pd.read_parquet(path) for path in (server.workspace / "scores" / "abx").glob("*.parquet"))
    assert sorted(rows["step"].unique()) == [0, 500]
    click_figure(page, 0.75, 1 / 6)  # the last step, the top layer of three
    expect(page.get_by_role("heading", name="One pair")).to_be_visible()
    expect(page).to_have_url(re.compile("pair_layer=2"))
    shown = page.get_by_test_id("stMetricValue").first.inner_text()
    first_pair = (rows["source"] == "de") & (rows["target"] == "en") & (rows["layer"] == 2) & (rows["step"] == 500)
    (value,) = rows[first_pair & (rows["metric"] == "abx_language")]["value"]
    assert shown == f"{value:.3f}"
