"""The list of pairs beside the matrix, and the confused sentences of the pair that is open."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import pandas as pd
import pyarrow as pa
import pytest
from streamlit.testing.v1 import AppTest

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.experiments import sentence_notes
from isogloss.backend.experiments.abx.confusions import ConfusionsSpec
from isogloss.backend.models.library import library as models
from isogloss.backend.store import details
from tests.pages.abx.abx_page import DEMO, MLM, open_abx, run
from tests.pages.beside import beside, on_the_demo

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

ONE = {"view": "Pairs", "model": [MLM], "languages": ["German · de", "English · en", "Chinese · zh"], "pair_layer": "1"}
OPEN = {"pair_source": "German · de", "pair_target": "English · en"}


def listed(page: AppTest) -> list[str]:
    [table] = [each.value for each in page.dataframe if "Pair" in each.value]
    return list(table["Pair"])


@pytest.mark.parametrize(
    ("query", "column", "highest"),
    [
        ({}, "meaning", False),
        ({"worst_by": "Highest language discrimination"}, "language", True),
        ({"worst_by": "Greatest fall of meaning discrimination"}, "meaning_change", False),
        ({"pair_checkpoint": "checkpoint-0"}, "meaning", False),
    ],
)
def test_the_list_is_its_recipes_rows_in_the_order_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: dict[str, str], column: str, highest: bool
) -> None:
    on_the_demo(monkeypatch, tmp_path)
    shown = beside(monkeypatch)
    page = open_abx(**ONE, **query)
    [(_, data, recipe)] = [each for each in shown if "worst" in each[0]]
    pd.testing.assert_frame_equal(run(recipe), data)
    assert len(data) == 3
    assert list(data[column]) == sorted(data[column], reverse=highest)
    assert all("–" in pair for pair in listed(page))
    first = "pair_checkpoint" in query  # before the first checkpoint there is none
    assert data["meaning_change"].isna().all() == first
    assert data["meaning_change_low"].isna().all() == first
    assert (page.selectbox(key="worst_by").options[-1].startswith("Greatest fall")) != first


def keep(workspace: Path, rows: int, margins: Sequence[float] = ()) -> None:
    entry, kept = models.load_entry(MLM, [DEMO]), corpora.entries([DEMO])[0]
    spec = ConfusionsSpec(
        checkpoint=entry.checkpoints[-1], corpus=kept.id, languages=("de", "en", "zh"), layer=1, source="en", target="de"
    )
    ids, texts = corpora.load(kept.id, [DEMO]).align(("de", "en", "zh"))
    found = [
        {"task": "meaning", "source": source, "target": target, "anchor_id": ids[p], "other_id": ids[p + 1]}
        | {"anchor": texts[source][p], "right": texts[target][p], "wrong": texts[target][p + 1]}
        | {"similarity_right": 0.5, "similarity_wrong": 0.5 - margin, "margin": margin}
        for source, target in (("de", "en"), ("en", "de"))
        for p, margin in enumerate(margins or [-0.1 - p / 100 for p in range(rows)])
    ]
    details.write(workspace, spec.id, pa.Table.from_pylist(found), {})


def test_confused_sentences_have_pages_a_gloss_and_a_recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked for the other way round, as a click on either half of the pair may; twelve a page, eight left for the second."""
    on_the_demo(monkeypatch, tmp_path)
    keep(tmp_path, 20)
    shown = beside(monkeypatch)
    page = open_abx(**ONE, **OPEN, gloss="Chinese · zh", page="2")
    [(_, data, recipe)] = [each for each in shown if "Confused" in each[0]]
    pd.testing.assert_frame_equal(run(recipe), data)
    assert len(data) == 20
    assert list(data["margin"]) == sorted(data["margin"])
    drawn = " ".join(each.proto.body for each in page.get("html"))
    for place, row in enumerate(data.to_dict("records")):
        assert ((row["anchor_gloss"] in drawn) and (row["other_gloss"] in drawn)) == (place >= 12) or 11 <= place <= 12
    boxes = [each for each in page.selectbox if each.key.startswith("category-")]
    assert len(boxes) == 8


def test_a_sentence_is_called_nearer_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The most confused triplets of a pair with few errors are not all errors."""
    on_the_demo(monkeypatch, tmp_path)
    keep(tmp_path, 3, [-0.1, 0.0, 0.1])
    drawn = " ".join(each.proto.body for each in open_abx(**ONE, **OPEN).get("html"))
    said = ("is nearer · 0.600 · margin -0.100", "is as near · 0.500 · margin +0.000", "is farther · 0.400 · margin +0.100")
    assert [drawn.count(each) for each in said] == [1, 1, 1]


def test_a_note_is_written_below_a_row_found_by_its_tag_and_exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its sentence is the query of one row and the nearer one of another: both have it, in this pair and in any other."""
    on_the_demo(monkeypatch, tmp_path)
    keep(tmp_path, 5)
    shown = beside(monkeypatch)
    page = open_abx(**ONE, **OPEN)
    assert not any(each.key == "tag" for each in page.selectbox)
    [(_, before, _)] = [each for each in shown if "Confused" in each[0]]
    subject = sentence_notes.sentence(corpus(), before["anchor_id"].iloc[1])
    note = '<b>odd</b> & "quoted"'
    sentence_notes.write(tmp_path, subject, ["idiom", "<i>"], note, by="Ada")
    shown.clear()
    page = open_abx(**ONE, **OPEN, tag="idiom")
    [(_, rows, recipe)] = [each for each in shown if "Confused" in each[0]]
    pd.testing.assert_frame_equal(run(recipe), rows)
    listed_there = (before["anchor_id"] == subject.of[0]) | (before["other_id"] == subject.of[0])
    assert list(rows["margin"]) == list(before["margin"][listed_there])
    assert len(rows) == 2
    for row in rows.to_dict("records"):
        start = "" if row["anchor_id"] == subject.of[0] else "other_"
        assert (row[f"{start}tags"], row[f"{start}notes"]) == ("<i>; idiom", note)
    drawn = [each.proto.body for each in page.get("html") if "Ada" in each.proto.body]
    assert len(drawn) == 2
    assert all(escape(note) in each and "<i>" not in each and "<b>" not in each for each in drawn)


def test_the_form_of_a_note_keeps_what_stood_and_takes_it_away_when_emptied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_the_demo(monkeypatch, tmp_path)
    subject = sentence_notes.sentence(corpus(), "1")

    def drawn() -> AppTest:
        page = AppTest.from_function(_form, kwargs={"corpus": corpus()}).run()
        assert not page.exception
        return page

    page = drawn()
    page.text_area[0].set_value("first")
    page.text_input[0].set_value("Ada")
    page.button[0].click().run()
    assert [(note.text, note.by) for note in sentence_notes.read([tmp_path], corpus())[subject]] == [("first", "Ada")]
    sentence_notes.write(tmp_path, subject, ["beside"], "second", by="Grace")
    page = drawn()
    assert page.text_area[0].value == "first\nsecond"
    assert page.multiselect[0].value == ["beside"]
    page.button[0].click().run()
    [merged] = sentence_notes.read([tmp_path], corpus())[subject]
    assert (merged.text, merged.tags) == ("first\nsecond", ("beside",))
    page = drawn()
    page.text_area[0].set_value("")
    page.multiselect[0].set_value([])
    page.button[0].click().run()
    assert sentence_notes.read([tmp_path], corpus()) == {}


def _form(corpus: str) -> None:
    from isogloss.backend.experiments.sentence_notes import sentence
    from isogloss.pages.widgets.lists import sentence_notes as widget

    widget._form({"Sentence": sentence(corpus, "1")}, widget.known(corpus), "form")


def corpus() -> str:
    return corpora.entries([DEMO])[0].id
