"""A new user's first ten minutes in a real browser: own corpus, own model, computed, watched, looked at and clicked."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SUBJECTS = {
    "en": ["The ferry", "A child", "My neighbour", "The old bridge", "Our train", "The storm"],
    "de": ["Die Fähre", "Ein Kind", "Mein Nachbar", "Die alte Brücke", "Unser Zug", "Der Sturm"],
    "fi": ["Lautta", "Lapsi", "Naapurini", "Vanha silta", "Junamme", "Myrsky"],
}
ENDS = {
    "en": ["comes in the morning.", "is seen from the hill.", "waits for nobody.", "was there yesterday.", "stays until June."],
    "de": ["kommt am Morgen.", "ist vom Hügel zu sehen.", "wartet auf niemanden.", "war gestern da.", "bleibt bis Juni."],
    "fi": ["tulee aamulla.", "näkyy mäeltä.", "ei odota ketään.", "oli täällä eilen.", "pysyy kesäkuuhun."],
}


def table() -> str:
    """A TSV with a column a language and thirty sentences."""
    columns = [[f"{subject} {end}" for subject in SUBJECTS[tag] for end in ENDS[tag]] for tag in SUBJECTS]
    return "\n".join("\t".join(row) for row in [tuple(SUBJECTS), *zip(*columns, strict=True)]) + "\n"


def make_model(folder: Path) -> Path:
    """Two random checkpoints of a tiny encoder."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "models"))
    from tiny import tiny_model

    for step in (0, 500):
        tiny_model(folder / f"checkpoint-{step}", "xlm-roberta", seed=step)
    return folder


def test_from_an_empty_workspace_to_a_cell(page: Page, server, tmp_path: Path) -> None:
    folder = make_model(tmp_path / "my_model")
    page.goto("/")
    expect(page.get_by_text("Measurements need a corpus and a model first.")).to_be_visible(timeout=30_000)

    page.get_by_role("link", name="Add a corpus").click()
    dropped = {"name": "weather.tsv", "mimeType": "text/tab-separated-values", "buffer": table().encode()}
    page.locator("[data-testid=stFileUploader] input[type=file]").set_input_files([dropped])  # type: ignore[list-item]
    expect(page.get_by_text("3 languages · 30 sentences").first).to_be_visible()
    page.get_by_role("button", name="Keep").click()
    expect(page.get_by_test_id("stExpander").filter(has_text="weather")).to_be_visible()

    page.get_by_test_id("stButtonGroup").get_by_text("Models", exact=True).click()
    page.get_by_test_id("stButtonGroup").get_by_text("Folder", exact=True).click()
    page.get_by_label("Folder on the server").fill(str(folder))
    page.get_by_role("button", name="Look up").click()
    page.get_by_role("button", name="Keep 2 checkpoints").click()
    expect(page.get_by_text("2 checkpoints, steps 0 to 500", exact=False).first).to_be_visible()

    page.get_by_role("link", name="ABX", exact=True).click()
    expect(page.get_by_text("2 of 2 checkpoints not computed (checkpoint-0, checkpoint-500)", exact=False)).to_be_visible()
    expect(page.get_by_text("Nothing is computed for this selection yet", exact=False)).to_be_visible()
    page.get_by_role("button", name="How long will it take?").click()
    priced = page.get_by_role("button", name=re.compile(r"Compute \(about \d+ s\)"))
    expect(priced).to_be_visible(timeout=60_000)  # a worker has measured this machine
    priced.click()
    expect(page.get_by_role("progressbar").first).to_be_visible(timeout=30_000)
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible(timeout=60_000)
    expect(page.get_by_text("not computed", exact=False)).to_have_count(0)
    expect(page.get_by_role("button", name="Compute")).to_have_count(0)

    rows = pd.concat(pd.read_parquet(path) for path in (server.workspace / "scores" / "abx").glob("*.parquet"))
    assert sorted(rows["step"].unique()) == [0, 500]
    page.wait_for_timeout(1500)
    box = page.locator(".js-plotly-plot").first.locator(".nsewdrag").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * 0.75, box["y"] + box["height"] / 6)  # the last step, the top layer of three
    expect(page.get_by_role("heading", name="One pair")).to_be_visible()
    expect(page).to_have_url(re.compile("pair_layer=2"))
    shown = page.get_by_test_id("stMetricValue").first.inner_text()
    first_pair = (rows["source"] == "de") & (rows["target"] == "en") & (rows["layer"] == 2) & (rows["step"] == 500)
    (value,) = rows[first_pair & (rows["metric"] == "abx_language")]["value"]
    assert shown == f"{value:.3f}"
