"""The Library in a real browser: from dropped files to a kept, renamed, downloaded and removed corpus; adding models."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from playwright.sync_api import expect
from safetensors.numpy import save_file
from settled import kept, settle, unfold

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.models.library import library as models

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

FILES = {
    "news.en": "The ferry leaves.\nIt rains.\nGood night.\n",
    "news.ar": "تغادر العبارة.\nإنها تمطر.\nتصبح على خير.\n",
    "news.ja": "フェリーが出る。\n雨が降る。\nおやすみ。\n",
}


def drop(page: Page, files: dict[str, str]) -> None:
    """Drop files, opening the section first where it is folded away."""
    expect(page.get_by_text("Add a corpus", exact=True)).to_be_visible()
    settle(page)
    if not page.get_by_test_id("stFileUploader").is_visible():
        page.get_by_text("Add a corpus", exact=True).click()
    payload = [{"name": name, "mimeType": "text/plain", "buffer": text.encode()} for name, text in files.items()]
    page.locator("[data-testid=stFileUploader] input[type=file]").set_input_files(payload)  # type: ignore[arg-type]


def test_corpus_from_files_to_removal(page: Page, server, tmp_path: Path) -> None:
    page.goto("/")
    page.get_by_role("link", name="Library").click()
    drop(page, FILES)
    expect(page.get_by_text("Recognised: plain text", exact=False)).to_be_visible()
    arabic = page.locator("td[lang=ar]").first
    assert arabic.evaluate("cell => getComputedStyle(cell).direction") == "rtl"
    assert arabic.evaluate("cell => getComputedStyle(cell).textAlign") in {"start", "right"}
    page.get_by_label("Name").fill("Three *greetings*")
    page.get_by_label("Name").press("Enter")
    page.get_by_role("button", name="Save").click()
    row = kept(page, "Three *greetings*")
    expect(row).to_be_visible()
    (entry,) = corpora.entries([server.workspace])
    assert entry.tags == ["ar", "en", "ja"]

    unfold(page, row)
    expect(page.locator("td[lang=ja]").first).to_have_text("フェリーが出る。")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download TSV").click()
    download.value.save_as(tmp_path / "out.tsv")
    assert (tmp_path / "out.tsv").read_text(encoding="utf-8").split("\n")[0] == "sentence_id\tar\ten\tja"

    page.get_by_role("button", name="Rename").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("Greetings")
    dialog.get_by_label("Name").press("Enter")
    dialog.get_by_role("button", name="Rename").click()
    expect(dialog).to_be_hidden()
    expect(page.get_by_text("Greetings", exact=True).first).to_be_visible()
    unfold(page, page.get_by_role("button", name="Remove", exact=True))
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_text("No corpus is saved yet.")).to_be_visible()
    assert corpora.entries([server.workspace]) == []


def test_broken_files_are_one_sentence_with_file_and_line(page: Page) -> None:
    page.goto("/")
    page.get_by_role("link", name="Library").click()
    drop(page, {"news.en": "One.\nTwo.\n", "news.de": "Eins.\n"})
    alert = page.get_by_test_id("stAlert")
    expect(alert).to_have_count(1)
    expect(alert).to_contain_text("they are not parallel")
    expect(alert).to_contain_text("news.de")


def test_folder_of_checkpoints(page: Page, server, tmp_path: Path) -> None:
    for step in (20, 3):
        folder = tmp_path / "tiny_*run*" / f"checkpoint-{step}"
        folder.mkdir(parents=True)
        (folder / "config.json").write_text(json.dumps({"model_type": "bert", "num_hidden_layers": 2, "hidden_size": 8}))
        (folder / "tokenizer.json").write_text("{}")
        save_file({"weight": np.full((4, 8), step, dtype=np.float32)}, folder / "model.safetensors")
    page.goto("/")
    page.goto("/library?shelf=Models&add-from=Folder")
    field = page.get_by_label("Folder on the server")
    field.fill("/nowhere")
    page.get_by_role("button", name="Look up").click()
    expect(page.get_by_test_id("stAlert")).to_contain_text("There is no folder or file '/nowhere'")
    field.fill(str(tmp_path / "tiny_*run*"))
    page.get_by_role("button", name="Look up").click()
    expect(page.get_by_text("Found: tiny_*run*")).to_be_visible()
    keep = page.get_by_role("button", name="Save 2 checkpoints")
    keep.click()
    expect(keep).to_be_hidden()
    expect(kept(page, "2 checkpoints, steps 3 to 20")).to_be_visible()
    (model,) = models.entries([server.workspace])
    assert [checkpoint.label for checkpoint in model.checkpoints] == ["checkpoint-3", "checkpoint-20"]


def test_catalogue_is_searched_and_a_missing_network_is_one_sentence(page: Page) -> None:
    page.goto("/library?shelf=Models")
    settle(page)
    page.get_by_placeholder("Search").fill("infoxlm large")
    table = page.get_by_test_id("stDataFrame").locator("canvas").first
    cells = page.get_by_test_id("stDataFrame").locator("canvas td")
    expect(cells.filter(has_text="InfoXLM large")).to_have_count(1)
    expect(cells.filter(has_text="mBERT")).to_have_count(0)
    box = table.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 18, box["y"] + 55)
    page.get_by_role("button", name="Look up InfoXLM large").click()
    expect(page.get_by_test_id("stAlert")).to_contain_text("The Hub cannot be reached")


def test_pages_fit_a_projector_in_both_colours(page: Page) -> None:
    page.goto("/")
    for scheme, name in itertools.product(("light", "dark"), ("Home", "Library", "Jobs")):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.get_by_role("link", name=name, exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
