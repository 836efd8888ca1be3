"""The Library's tasks in a real browser: from dropped files of two parts to a kept, opened, downloaded and removed task."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from settled import settle, unfold

from backend.corpora.tasks import library as task_library

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

TEXTS = {"en": "Water {} is cold", "ar": "الماء {} بارد"}


def files(part: str, count: int) -> list[dict[str, object]]:
    made = []
    for tag, text in TEXTS.items():
        rows = [f"{text.format(f'{part} {i}')}\t{('no', 'yes')[(i + (tag == 'ar' and not i)) % 2]}\n" for i in range(count)]
        made.append({"name": f"{part}-{tag}.tsv", "mimeType": "text/plain", "buffer": "".join(rows).encode()})
    return made


def test_task_from_files_to_removal(page: Page, server, tmp_path: Path) -> None:
    page.goto("/library?shelf=Tasks")
    expect(page.get_by_text("No task is saved yet.")).to_be_visible()
    uploaders = page.locator("[data-testid=stFileUploader] input[type=file]")
    expect(uploaders).to_have_count(2)
    training, validation = uploaders.all()
    training.set_input_files(files("train", 24))  # type: ignore[arg-type]
    expect(page.get_by_text("train-ar.tsv")).to_be_visible()  # no hand drops more within milliseconds
    settle(page)
    validation.set_input_files(files("dev", 9))  # type: ignore[arg-type]
    expect(page.get_by_text("dev-ar.tsv")).to_be_visible()
    page.get_by_role("button", name="Read", exact=True).click()
    expect(page.get_by_text("2 languages · 33 sentences: 24 for training, 9 for validation · 2 labels")).to_be_visible()
    arabic = page.locator("td[lang=ar]").first
    assert arabic.evaluate("cell => getComputedStyle(cell).direction") == "rtl"
    page.get_by_label("Name").fill("Water")
    page.get_by_label("Name").press("Enter")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_test_id("stToast")).to_contain_text("Water is saved.")
    expect(page.get_by_role("button", name="Save")).to_be_hidden()
    assert [entry.validation_rows for entry in task_library.entries([server.workspace])] == [9]

    page.reload()
    unfold(page, page.get_by_text("Water", exact=True))
    expect(page.locator("td[lang=ar]")).to_have_count(10)
    page.get_by_role("radio", name="Labels differ").click()
    expect(page.get_by_role("cell", name="train.1 · no, ar yes")).to_be_visible()
    expect(page.locator("td[lang=ar]")).to_have_count(2)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download TSV").click()
    download.value.save_as(tmp_path / "out.tsv")
    header, first = (tmp_path / "out.tsv").read_text(encoding="utf-8").split("\n")[:2]
    assert header == "row_id\tlanguage\ttext\tlabel\tsplit"
    assert first == "1\tar\tالماء train 0 بارد\tyes\ttrain"
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    unfold(page, page.get_by_role("button", name="Remove", exact=True))
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_text("No task is saved yet.")).to_be_visible()
    assert task_library.entries([server.workspace]) == []
