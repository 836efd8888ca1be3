"""Jobs in a real browser with a real worker: watched, cancelled, gone on with, forgotten."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from settled import settle

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.readers import InputFile, read
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.jobs import client
from isogloss.backend.models.library import library as models
from isogloss.backend.models.library.discover import discover
from isogloss.backend.settings import Settings

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

LANGUAGES = ("de", "en", "es", "fi", "fr", "sv")
STEPS = tuple(range(0, 80, 10))


def fill(workspace: Path, models_folder: Path) -> AbxSpec:
    """A corpus and a model of several tiny random checkpoints in the workspace; the spec of their scores."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "models"))
    from tiny import tiny_model

    for step in STEPS:
        tiny_model(models_folder / f"checkpoint-{step}", "xlm-roberta", seed=step, dims=64)
    model = discover(str(models_folder), name="tiny")
    models.keep(model, workspace)
    table = workspace / "in.csv"
    rows = [",".join(f"{language} {number}" for language in LANGUAGES) for number in range(800)]
    table.write_text("\n".join([",".join(LANGUAGES), *rows]))
    entry = corpora.keep(read([InputFile("in.csv", table)]), "Numbers", workspace)
    return AbxSpec(model="tiny", checkpoints=model.checkpoints, corpus=entry.id, languages=LANGUAGES)


def test_run_is_watched_cancelled_gone_on_with_and_forgotten(page: Page, server, tmp_path: Path) -> None:
    settings = Settings(workspace=server.workspace, demo=None)
    spec = fill(server.workspace, tmp_path / "tiny")
    page.goto("/")
    page.get_by_role("link", name="Jobs").click()
    expect(page.get_by_text("Nothing has been computed here yet.")).to_be_visible()
    page.get_by_role("button", name="Start a worker").click()
    expect(page.get_by_text("Worker ready")).to_be_visible()
    expect(page.get_by_text("float32", exact=False).first).to_be_visible()

    client.submit(spec, settings)
    expect(page.get_by_text(f"tiny ({len(STEPS)} checkpoints)", exact=True)).to_be_visible()
    expect(page.get_by_text("Numbers", exact=True)).to_be_visible()
    expect(page.get_by_role("progressbar").first).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text(re.compile("Cancelled$")).first).to_be_visible()
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_text(re.compile("Done$")).first).to_be_visible()
    assert len(list((server.workspace / "scores" / "abx").glob("*.parquet"))) == len(STEPS)
    page.get_by_role("link", name="ABX").last.click()  # the run's own: with what it computed chosen
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    page.get_by_role("link", name="Home").click()
    tile = page.get_by_test_id("stMetric").filter(has_text="Checkpoints scored")
    expect(tile).to_contain_text(f"{len(STEPS)} of {len(STEPS)}")

    page.get_by_role("link", name="Jobs").click()
    details = page.get_by_role("button", name="Details")
    expect(details).to_have_count(1)  # the run that was cancelled and the one that went on with it are one line
    details.click()
    expect(page.get_by_text(f"{len(STEPS)} of {len(STEPS)} checkpoints done", exact=False)).to_be_visible()
    page.get_by_role("button", name="Forget").click()
    settle(page)
    expect(page.get_by_text("Nothing has been computed here yet.")).to_be_visible()
