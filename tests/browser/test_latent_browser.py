"""The latent language in a real browser: from a cell of languages × layers to its words, back, and again from a link."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from settled import click_figure, settle
from visitors import visitor

from isogloss.backend.experiments import registry
from isogloss.backend.experiments.latent.spec import LatentSpec
from isogloss.backend.experiments.spec import Context, validate
from isogloss.backend.settings import Settings
from tests.experiments.latent.planted import PATH, WORDS, keep_model, keep_words, planted

if TYPE_CHECKING:
    from pathlib import Path

    from dashboard_server import Server
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser
ROWS = ("English", "French", "German")


def computed(workspace: Path, model: Path) -> None:
    """Compute a decoder whose layers go from French through English to German."""
    planted(model / "checkpoint-20")
    kept = keep_model(model, workspace)
    spec = validate(
        LatentSpec, kept | {"pivot": "en", "dictionaries": keep_words(workspace), "source": "fr", "targets": ["de"]}
    )
    for key in spec.shards():
        registry.compute(spec, key, Context(Settings(workspace=workspace)))


def drawn(page: Page) -> None:
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    settle(page)


def test_a_cell_opens_its_words_and_back_and_a_link_restore_it(
    server: Server, page: Page, browser: Browser, tmp_path: Path
) -> None:
    computed(server.workspace, tmp_path / "model")
    page.goto("/latent?view=Languages+×+layers")
    drawn(page)
    click_figure(page, 2.5 / len(PATH), 0.5 / len(ROWS))  # layer 2, where English is told; its row is on top
    expect(page).to_have_url(re.compile("view=Words"))
    for part in ("word_layer=2(&|$)", "word_language=English"):
        expect(page).to_have_url(re.compile(part))
    drawn(page)
    expect(page.get_by_role("figure", name="by layer: fa → da")).to_be_visible()
    words = page.url
    page.go_back()
    expect(page).to_have_url(re.compile("view=Languages"))
    drawn(page)
    with visitor(browser, server.url) as fresh:
        fresh.goto(words)
        drawn(fresh)
        boxes = fresh.get_by_test_id("stMain").get_by_test_id("stSelectbox").locator("input")
        expect(boxes.first).to_be_visible()
        shown = [each.input_value() for each in boxes.all()]
        assert {"2", "English · en"} <= set(shown)
        rows = fresh.get_by_test_id("stDataFrame").locator("canvas, table").first
        expect(rows).to_be_visible()
        assert fresh.locator("[aria-rowcount]").first.get_attribute("aria-rowcount") == str(WORDS + 1)
