"""Jobs in a real browser with a real worker: watched, cancelled, gone on with, forgotten; a training's columns that come."""

from __future__ import annotations

import re
import shutil
import sys
import time
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
from tests.cli.typed import output

if TYPE_CHECKING:
    from dashboard_server import Server
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

LANGUAGES = ("de", "en", "es", "fi", "fr", "sv")
STEPS = tuple(range(0, 80, 10))

MARKED = """
(columns) => {
    const drawn = document.querySelector(".js-plotly-plot");
    const heatmaps = drawn?._fullData?.filter((each) => each.type === "heatmap") ?? [];
    const marks = drawn?._fullLayout?.annotations?.filter((each) => each.text === "newest") ?? [];
    return heatmaps.length === 2 && heatmaps.every((each) => each.z[0].length === columns)
        && marks.length === 2 && marks.every((each) => each.x === columns - 0.5);
}
"""
"""Both heatmaps have so many columns, and the last of them is marked."""


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


def test_the_scores_of_a_training_come_onto_an_open_page(
    page: Page, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A column for each checkpoint once it is complete, the newest marked, and never a reload."""
    spec = fill(server.workspace, tmp_path / "made")
    corpus = next(entry.name for entry in corpora.entries([server.workspace]) if entry.id == spec.corpus)
    training = tmp_path / "training"
    for name, value in {"ISOGLOSS_WORKSPACE": str(server.workspace), "ISOGLOSS_DEMO": ""}.items():
        monkeypatch.setenv(name, value)

    def saves(step: int) -> float:
        shutil.copytree(tmp_path / "made" / f"checkpoint-{step}", training / f"checkpoint-{step}")
        (training / f"checkpoint-{step}" / "trainer_state.json").write_text("{}", encoding="utf-8")
        return time.monotonic()

    saves(0)
    asked = ["--measure", "abx", "--corpus", corpus, "--languages", "de,en,fi", "--name", "Training"]
    output("watch", str(training), *asked, "--background")
    page.goto("/jobs")
    page.get_by_test_id("stMain").get_by_role("link", name="Training").click()  # once it has scores
    page.evaluate("window.isoglossStayed = true")
    for columns, step in enumerate((0, 10, 20), 1):
        saved = saves(step) if step else time.monotonic()
        page.wait_for_function(MARKED, arg=columns)
        print(f"checkpoint {step}: on the page {time.monotonic() - saved:.0f} s after it was complete")
    assert page.evaluate("window.isoglossStayed")
