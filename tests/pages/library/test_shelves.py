"""What holds of every shelf of the Library: files are read, shown, named and kept; what cannot be is said in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from isogloss.backend.corpora.parallel import library as corpora
from tests.corpora.samples import SAMPLES, Sample, corpus, every_kind
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
def test_a_file_is_read_shown_kept_opened_and_asks_before_it_is_removed_where_it_is_one_s_own(
    open_page: Callable[..., AppTest], workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sample: Sample
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
    monkeypatch.setenv("ISOGLOSS_DEMO", str(workspace))
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path / "mine"))
    demo = open_page("library", shelf=sample.shelf)
    demo.session_state[key] = True
    demo.run()
    assert f"id {entry.id}" in shown(demo)
    assert "Part of the demo workspace, which is read-only" in shown(demo)
    assert not [button for button in demo.button if button.label in {"Remove", "Rename"}]


@every_kind
def test_a_bad_file_is_one_sentence_and_its_name_never_a_path_or_markup(
    open_page: Callable[..., AppTest], workspace: Path, sample: Sample
) -> None:
    hostile = f"../![x](http://a.test) <b>/{sample.file}"
    app = dropped(open_page("library", shelf=sample.shelf), sample, text=sample.bad or "\0", name=hostile)
    (error,) = app.error
    assert sample.file in error.value.replace("\\", "")
    assert "![" not in error.value
    assert not list((workspace / "uploads").iterdir())
    assert not list(workspace.parent.rglob(sample.file))
    assert all(each.name == "Mine" for each in sample.kind.entries([workspace]))


def test_a_taken_name_is_said_and_what_was_read_stays(
    open_page: Callable[..., AppTest], workspace: Path, tmp_path: Path
) -> None:
    """Of one kind: all but emergent languages, which have a test of their own, are named by the same code."""
    sample = next(each for each in SAMPLES if each.shelf == "Covariates")
    sample.kind.keep(sample.content(tmp_path, sample.other), "Taken", workspace)
    app = keeping(dropped(open_page("library", shelf=sample.shelf), sample), sample, "TAKEN")
    assert "Another table of covariates is called 'TAKEN'" in app.error[0].value.replace("\\", "")
    keeping(app, sample, "Free")
    assert [each.name for each in sample.kind.entries([workspace])] == ["Free", "Taken"]
