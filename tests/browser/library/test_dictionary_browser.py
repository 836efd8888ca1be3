"""The Library's dictionaries in a real browser: from a dropped file to a kept, renamed, downloaded and removed dictionary."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from settled import unfold

from backend.corpora.dictionaries import library as dictionaries

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

ARABIC = "dog\tكلب\ndog\tكلب\ncat\tقطة\ncat\tهر\n\nfish\tسمكة\nbird\tطائر\n" + "".join(f"word{n}\tكلمة{n}\n" for n in range(12))


def drop(page: Page, name: str, text: str) -> None:
    payload = [{"name": name, "mimeType": "text/plain", "buffer": text.encode()}]
    page.locator("[data-testid=stFileUploader] input[type=file]").set_input_files(payload)  # type: ignore[arg-type]


def test_dictionary_from_file_to_removal(page: Page, server, tmp_path: Path) -> None:
    page.goto("/library?shelf=Dictionaries")
    expect(page.get_by_text("No dictionary is saved yet.")).to_be_visible()
    drop(page, "en-ar.txt", ARABIC)
    expect(page.get_by_role("combobox", name="Words are in")).to_have_value("English · en")
    page.get_by_role("button", name="Read", exact=True).click()
    expect(page.get_by_text("English → Arabic · 16 words · 17 pairs")).to_be_visible()
    arabic = page.locator("td[lang=ar]").first
    assert arabic.evaluate("cell => getComputedStyle(cell).direction") == "rtl"
    page.get_by_label("Name").fill("Animals")
    page.get_by_label("Name").press("Enter")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("button", name="Save")).to_be_hidden()
    assert [entry.name for entry in dictionaries.entries([server.workspace])] == ["Animals"]

    page.reload()
    unfold(page, page.get_by_text("Animals", exact=True))
    expect(page.locator("td[lang=ar]")).to_have_count(10)
    page.get_by_label("Find a word").fill("هر")
    expect(page.locator("td[lang=ar]")).to_have_text(["قطة · هر"])
    with page.expect_download() as download:
        page.get_by_role("button", name="Download TSV").click()
    download.value.save_as(tmp_path / "out.tsv")
    assert (tmp_path / "out.tsv").read_text(encoding="utf-8").split("\n")[:3] == ["en\tar", "dog\tكلب", "cat\tقطة"]

    page.get_by_role("button", name="Rename").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("Beasts")
    dialog.get_by_label("Name").press("Enter")
    dialog.get_by_role("button", name="Rename").click()
    expect(dialog).to_be_hidden()
    expect(page.get_by_text("Beasts", exact=True)).to_be_visible()
    unfold(page, page.get_by_role("button", name="Remove", exact=True))
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_text("No dictionary is saved yet.")).to_be_visible()
    assert dictionaries.entries([server.workspace]) == []


def test_a_broken_dictionary_is_one_sentence_and_its_languages_are_chosen(page: Page, server) -> None:
    page.goto("/library?shelf=Dictionaries")
    drop(page, "animals.txt", "dog,hund\ncat,katze\n")
    read = page.get_by_role("button", name="Read", exact=True)
    expect(read).to_be_disabled()
    for label, typed, shown in (
        ("Words are in", "Engl", "English · en"),
        ("Translations are in", "German", "German · de"),
    ):
        box = page.get_by_role("combobox", name=label)
        box.click()
        box.press_sequentially(typed, delay=20)
        page.get_by_role("option", name=shown, exact=True).click()
        expect(box).to_have_value(shown)
    read.click()
    alert = page.get_by_test_id("stAlert")
    expect(alert).to_have_count(1)
    expect(alert).to_contain_text("animals.txt, line 1: Most lines are not two words")
    assert dictionaries.entries([server.workspace]) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_demo_s_dictionaries_fit_a_projector(page: Page, demo_url: str, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(f"{demo_url}/library?shelf=Dictionaries")
    page.get_by_text("Demo English–Arabic", exact=True).click()
    expect(page.locator("td[lang=ar][dir=rtl]")).to_have_count(10)
    expect(page.get_by_text("read-only")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
