"""Watch this folder: what the form asks for is watched, shown under Jobs until it is stopped, and has its line on Home."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.corpora.dictionaries.dictionary import Dictionary
from isogloss.backend.jobs.watch import record, template
from isogloss.backend.models.entry import Checkpoint
from isogloss.pages.library.models.watch import MEASURES
from isogloss.pages.widgets.runs import worker
from tests.experiments.probing.small_probing import SIZES, keep_tagged, keep_task, sentences
from tests.pages.abx.test_abx_corpora import keep_smaller
from tests.pages.library.test_library_page import shown

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

    OpenPage = Callable[..., AppTest]

RULE = "meaning discrimination is below 0.7"


def form(open_page: OpenPage) -> AppTest:
    return open_page("library", **{"shelf": "Models", "add-from": "A training"})


def press(page: AppTest, folder: str, rules: str = "") -> AppTest:
    page.text_input(key="watch--folder").set_value(folder)
    page.text_input(key="watch--name").set_value("my *run*")
    for languages in (each for each in page.multiselect if each.key == "watch--languages"):
        languages.set_value(["de", "en"])
    page.number_input(key="watch--every").set_value(100)
    page.text_area(key="watch--rules").set_value(rules)
    page.run()
    page.button(key="watch--go").click().run()
    assert not page.exception
    return page


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    found: list[bool] = []
    monkeypatch.setattr(worker, "ask", lambda: found.append(True))
    return found


def test_what_the_form_says_is_watched_then_shown_and_stopped(
    open_page: OpenPage, workspace: Path, tmp_path: Path, asked: list[bool]
) -> None:
    corpus = keep_smaller(workspace, name="Own")
    (tmp_path / "run").mkdir()
    press(form(open_page), str(tmp_path / "run"), rules=f"{RULE}\n\n")
    ((watch, state),) = record.watches(workspace)
    assert asked
    assert (watch.source, watch.location, watch.model, watch.every) == ("folder", str(tmp_path / "run"), "my *run*", 100)
    assert (watch.rules, watch.spec["corpus"], watch.spec["languages"]) == ((RULE,), corpus.id, ["de", "en"])
    assert record.is_alive(state)
    home = open_page("home")
    assert any("watched" in each.value for each in home.markdown)
    assert not [each for each in home.get("page_link") if "watched" in each.proto.label]  # it would lead to a model not there
    assert "No checkpoint has scores yet" in shown(home)
    jobs = open_page("jobs")
    assert str(tmp_path / "run") in shown(jobs)
    assert f"rule: {RULE}" in shown(jobs)
    jobs.button(key=f"stop-watch-{watch.id}").click().run()
    assert not jobs.exception
    assert record.state(workspace, watch.id).ended == "It was stopped."
    assert not [each for each in jobs.button if each.key == f"stop-watch-{watch.id}"]
    assert "watched" not in shown(open_page("home"))


@pytest.mark.parametrize(
    ("folder", "rules", "said"),
    [("inside/nowhere", "", "There is no folder or file"), ("inside", "phrenology is below 1", "A rule cannot be on")],
)
def test_what_cannot_be_watched_is_said_and_nothing_begins(
    open_page: OpenPage, workspace: Path, tmp_path: Path, folder: str, rules: str, said: str
) -> None:
    keep_smaller(workspace, name="Own")
    (tmp_path / "inside").mkdir()
    page = press(form(open_page), str(tmp_path / folder), rules)
    assert any(said in each.value.replace("\\", "") for each in page.error)
    assert record.watches(workspace) == []


def test_a_folder_outside_of_those_that_pages_may_read_is_not_watched(
    open_page: OpenPage, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_smaller(workspace, name="Own")
    (tmp_path / "outside").mkdir()
    (tmp_path / "models" / "run").mkdir(parents=True)
    (tmp_path / "models" / "link").symlink_to(tmp_path / "outside")
    monkeypatch.setenv("ISOGLOSS_MODEL_ROOTS", str(tmp_path / "models"))
    for place in ("outside", "models/link"):
        page = press(form(open_page), str(tmp_path / place))
        assert any("ISOGLOSS_MODEL_ROOTS" in each.value.replace("\\", "") for each in page.error), place
    assert record.watches(workspace) == []
    press(form(open_page), str(tmp_path / "models" / "run"))
    ((watch, _),) = record.watches(workspace)
    assert watch.roots is not None
    assert str(tmp_path / "models") in watch.roots


@pytest.mark.parametrize("measure", MEASURES)
def test_every_measure_of_the_form_is_a_run_that_a_checkpoint_fills(
    open_page: OpenPage, workspace: Path, tmp_path: Path, measure: str
) -> None:
    keep_smaller(workspace, name="Own")
    draw = random.Random(0)
    rows = [row for tag in ("de", "en") for part, count in SIZES.items() for row in sentences(tag, count, draw, part)]
    keep_tagged(rows, "Own tagged", workspace)
    keep_task(workspace)
    dictionaries.keep(Dictionary("fi", "de", {"koira": ("hund",)}), "Of a language that is not there", workspace)
    dictionaries.keep(Dictionary("en", "de", {"dog": ("hund",)}), "Words", workspace)
    (tmp_path / "run").mkdir()
    page = form(open_page)
    page.selectbox(key="watch--measure").set_value(measure).run()
    press(page, str(tmp_path / "run"))
    ((watch, _),) = record.watches(workspace)
    come = Checkpoint(source="folder", location=str(tmp_path / "run" / "checkpoint-100"), label="100", fingerprint="a" * 24)
    spec = template.filled(watch.spec, watch.model, come)
    asked = {"words": "word_alignment", "sentences": "sentence_alignment"}
    assert spec.experiment == asked.get(MEASURES[measure], MEASURES[measure].replace("-", "_"))
    assert len(spec.shards()) == (2 if "robing" in measure else 1)  # probes: a shard a language trained on
    if measure == "Word alignment":
        ((source, target),) = {(pair["source"], pair["target"]) for pair in watch.spec["pairs"]}
        assert {source, target} == {"de", "en"}
    else:
        assert set(watch.spec["sources" if "robing" in measure else "languages"]) == {"de", "en"}
    if "robing" in measure:
        assert watch.spec["probe"]["training_words"] == 3000
        assert len(watch.spec["probe"]["seeds"]) == 2


def test_what_a_measure_needs_and_is_not_there_is_said(open_page: OpenPage, workspace: Path) -> None:
    keep_smaller(workspace, name="Own")
    page = form(open_page)
    page.selectbox(key="watch--measure").set_value("Probing sentences").run()
    assert not page.exception
    assert any("labelled task. Add one" in each.value for each in page.caption)
    assert not [each for each in page.button if each.key == "watch--go"]
