"""Transfer in a real browser: a task uploaded, three languages fine-tuned on a CPU to the end, looked at and clicked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pandas as pd
import pytest
from own_inputs import ENDS, SUBJECTS, make_model
from playwright.sync_api import expect
from settled import kept

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
LABELS = ("contradiction", "entailment", "neutral")


def dropped() -> list[dict[str, object]]:
    """XTREME's files: premise, hypothesis and label, a file a language, the same rows in each."""
    files = []
    for tag, subjects in SUBJECTS.items():
        pairs = [(subject, end) for subject in subjects for end in ENDS[tag]]
        rows = [f"{a} {b}\t{a} {ENDS[tag][(i + 1) % 5]}\t{LABELS[i % 3]}" for i, (a, b) in enumerate(pairs)]
        text = "".join(f"{row}\n" for row in rows)
        files.append({"name": f"dev-{tag}.tsv", "mimeType": "text/tab-separated-values", "buffer": text.encode()})
    return files


def test_a_task_from_its_files_to_the_examples_that_did_not_transfer(page: Page, server, tmp_path: Path) -> None:
    page.goto("/library?shelf=Tasks")
    page.locator("[data-testid=stFileUploader] input[type=file]").first.set_input_files(dropped())  # type: ignore[arg-type]
    expect(page.get_by_text("dev-fi.tsv")).to_be_visible()
    page.get_by_role("button", name="Read", exact=True).click()
    expect(page.get_by_text("3 languages · 30 pairs", exact=False).first).to_be_visible()
    page.get_by_label("Name").fill("Small")
    page.get_by_label("Name").press("Enter")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_test_id("stToast")).to_contain_text("Small is saved.")
    page.goto("/library?shelf=Models")
    page.get_by_label("Folder on the server").fill(str(make_model(tmp_path / "my_model")))
    page.get_by_role("button", name="Look up").click()
    page.get_by_role("button", name="Save 2 checkpoints").click()
    expect(kept(page, "2 checkpoints, steps 0 to 500")).to_be_visible()

    page.goto("/transfer?train_rate_quick_xnli=0.005&train_epochs_quick_xnli=8&train_batch=8&evaluated=At+every+record+point")
    expect(page.get_by_text("3 of 3 runs to train", exact=False)).to_be_visible()
    expect(page.get_by_text("No run of this selection is trained yet", exact=False)).to_be_visible()
    page.get_by_role("button", name=re.compile(r"^Train( \(|$)")).click()
    expect(page.get_by_role("progressbar").first).to_be_visible()
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(page.get_by_text("all 3 runs trained", exact=False)).to_be_attached()

    rows = pd.concat(pd.read_parquet(path) for path in (server.workspace / "records").glob("*.parquet"))
    assert set(rows["source"]) == {"de", "en", "fi"}
    assert set(rows["split"]) == {"train", "validation"}
    assert not list((server.workspace / "training").glob("*"))

    page.goto("/transfer?view=Matrix&at=0&epsilon=0.2")
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    page.goto("/transfer?view=Best+source")
    expect(page.get_by_text(re.compile("best source of|told apart|train on")).first).to_be_visible()
    page.goto("/transfer?view=Examples&at_record=Last+step")
    expect(page.get_by_text(re.compile(r"step [\d,]+ of the run")).first).to_be_visible()
