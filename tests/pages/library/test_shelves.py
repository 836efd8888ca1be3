"""What holds of every shelf of the Library: files are read, shown, named and kept; what cannot be is said in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from backend.corpora.parallel import library as corpora
from tests.corpora.samples import Sample, corpus, every_kind
from tests.pages.library.shelves import press, shown

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamlit.testing.v1 import AppTest


@pytest.fixture(autouse=True)
def _aligned(workspace: Path, tmp_path: Path) -> None:
    """The corpus that an alignment belongs to."""
    corpora.keep(corpus(tmp_path), "Mine", workspace)


def dropped(app: AppTest, sample: Sample, text: str = "", name: str = "") -> AppTest:
    """The page once a file of the sample is dropped and read."""
    app.session_state[f"add-{sample.shelf}"] = True
    app.run()
    app.file_uploader[0].upload(name or sample.file, (text or sample.text).encode())
    app.run()
    assert not app.exception
    button = f"read-{sample.kind.name.split()[0]}"
    return press(app, button) if any(each.key == button for each in app.button) else app


def keeping(app: AppTest, sample: Sample, name: str) -> AppTest:
    """The page once what was read is named and kept."""
    next(each for each in app.text_input if each.label == "Name").set_value(name).run()
    return press(app, f"keep-{'emergent' if sample.shelf == 'Emergent' else sample.kind.name}")


@every_kind
def test_a_file_is_read_shown_kept_opened_and_asks_before_it_is_removed(
    open_page: Callable[..., AppTest], workspace: Path, sample: Sample
) -> None:
    kind = sample.kind
    before = len(kind.entries([workspace]))
    app = dropped(open_page("library", shelf=sample.shelf), sample)
    assert f"Recognised: {sample.facts}" in shown(app)
    assert len(kind.entries([workspace])) == before
    keeping(app, sample, "By ../hand")
    assert [toast.value.replace("\\", "") for toast in app.toast] == ["By ../hand is saved."]
    entry = next(each for each in kind.entries([workspace]) if each.name == "By ../hand")
    assert not list((workspace / "uploads").iterdir())
    assert any("Measure: " in each.proto.label for each in app.get("page_link")) or kind.name == "dictionary"
    again, key = open_page("library", shelf=sample.shelf), f"{kind.name}-{entry.id[:12]}"
    again.session_state[key] = True
    again.run()
    assert not again.exception
    assert f"id {entry.id}" in shown(again)
    assert [each.proto.label.split()[0] for each in again.get("download_button")] == ["Download"]
    press(again, f"{key}-rename")
    assert again.text_input(key=f"rename-{kind.name}").value == "By ../hand"
    press(again, f"{key}-remove")
    said = shown(again)
    assert "**By ../hand** is deleted from the workspace." in said
    assert (f"The scores computed {kind.scored} it stay." in said) is bool(kind.scored)


@every_kind
def test_a_bad_file_is_one_sentence(open_page: Callable[..., AppTest], workspace: Path, sample: Sample) -> None:
    app = dropped(open_page("library", shelf=sample.shelf), sample, text=sample.bad or "\0")
    (error,) = app.error
    assert sample.file in error.value.replace("\\", "")
    assert not list((workspace / "uploads").iterdir())
    assert all(each.name == "Mine" for each in sample.kind.entries([workspace]))


@every_kind
def test_names_never_become_paths_or_markup(open_page: Callable[..., AppTest], workspace: Path, sample: Sample) -> None:
    hostile = f"../![x](http://a.test)/{sample.file}"
    app = dropped(open_page("library", shelf=sample.shelf), sample, text=sample.bad or "\0", name=hostile)
    (error,) = app.error
    assert "![" not in error.value
    assert not list((workspace / "uploads").iterdir())


@every_kind
def test_a_taken_name_is_said_and_what_was_read_stays(
    open_page: Callable[..., AppTest], workspace: Path, tmp_path: Path, sample: Sample
) -> None:
    kind = sample.kind
    kind.keep(sample.content(tmp_path, sample.other), "Taken", workspace)
    app = keeping(dropped(open_page("library", shelf=sample.shelf), sample), sample, "TAKEN")
    assert f"Another {kind.name} is called 'TAKEN'" in app.error[0].value.replace("\\", "")
    keeping(app, sample, "Free")
    assert "Free" in [each.name for each in kind.entries([workspace])]


@every_kind
def test_the_demos_are_not_to_be_changed(
    open_page: Callable[..., AppTest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sample: Sample
) -> None:
    demo = tmp_path / "demo"
    corpora.keep(corpus(tmp_path), "Theirs", demo)
    entry = sample.kind.keep(sample.content(tmp_path), "Shipped", demo)
    monkeypatch.setenv("ISOGLOSS_DEMO", str(demo))
    app = open_page("library", shelf=sample.shelf)
    app.session_state[f"{sample.kind.name}-{entry.id[:12]}"] = True
    app.run()
    assert not app.exception
    assert "read-only" in shown(app)
    assert not [button for button in app.button if button.label in {"Remove", "Rename"}]
