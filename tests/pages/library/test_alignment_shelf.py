"""The Library's alignments: an aligner's file of a saved corpus is read, its linked words shown, and it is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
import streamlit as st

from isogloss.backend.corpora.parallel import library
from isogloss.backend.corpora.parallel.corpus import SCHEMA, ParallelCorpus
from isogloss.backend.corpora.word_alignments import library as alignments
from isogloss.pages.library.word_alignments import report as alignment_report
from tests.pages.library.shelves import press, shown

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

SENTENCES = {
    "en": ["The dog sleeps.", "It's late!"],
    "ar": ["الكلب ينام.", "تأخر الوقت!"],
    "de": ["Der Hund schläft.", "Spät!"],
}


@pytest.fixture
def corpus(workspace: Path) -> str:
    rows = [(f"s{i}", tag, text, None) for tag, texts in SENTENCES.items() for i, text in enumerate(texts)]
    table = pa.Table.from_pylist([dict(zip(SCHEMA.names, row, strict=True)) for row in rows], schema=SCHEMA)
    return library.keep(ParallelCorpus(table), "Mine", workspace).id


def opened(open_page: Callable[..., AppTest], name: str, text: str) -> AppTest:
    app = open_page("library", shelf="Alignments")
    app.file_uploader[0].upload(name, text.encode())
    app.run()
    assert not app.exception
    return app


def test_without_a_corpus_that_is_what_to_add(open_page: Callable[..., AppTest]) -> None:
    text = shown(open_page("library", shelf="Alignments"))
    assert "No alignment is saved yet" in text
    assert "An alignment belongs to a corpus" in text


def test_an_aligner_s_file_is_shown_and_kept(open_page: Callable[..., AppTest], workspace: Path, corpus: str) -> None:
    app = opened(open_page, "en-ar.align", "1-0 2p1\n1-0\n")
    assert [box.value for box in app.selectbox[1:]] == ["en", "ar"]
    app.toggle[0].set_value(True).run()
    press(app, "read-alignment")
    text = shown(app)
    assert "Pharaoh · English → Arabic · 3 links, 2 of them sure · gold" in text
    assert "dog</td>" in text
    assert 'dir="rtl"' in text
    assert "s0 · possible" in text
    press(app, "keep-alignment")
    (entry,) = alignments.entries([workspace])
    assert (entry.corpus, entry.gold) == (corpus, True)
    again = open_page("library", shelf="Alignments")
    again.session_state[f"alignment-{entry.id[:12]}"] = True
    again.run()
    assert not again.exception
    assert "of Mine" in shown(again)
    assert "الكلب" in shown(again)
    library.remove(corpus, workspace)
    st.cache_resource.clear()
    again.run()
    assert not again.exception
    assert "There is no corpus" in again.error[0].value.replace("\\", "")
    assert [button for button in again.button if button.label == "Remove"]


def test_tokens_are_of_both_languages_or_none(open_page: Callable[..., AppTest], workspace: Path, corpus: str) -> None:
    app = opened(open_page, "links.txt", "1-1 3-3\n3-1\n")
    app.selectbox[1].set_value("en").run()
    app.selectbox[2].set_value("de").run()
    app.file_uploader[1].upload("t.en", b"The dog sleeps .\nIt 's late !\n")
    app.run()
    assert app.button(key="read-alignment").disabled
    app.file_uploader[2].upload("t.de", "Der Hund schläft .\nSpät !\n".encode())
    app.run()
    press(app, "read-alignment")
    assert "3 links" in shown(app)
    press(app, "keep-alignment")
    links = alignments.load(alignments.entries([workspace])[0].id, [workspace])
    found = alignment_report.tsv(links, library.load(corpus, [workspace])).decode().split("\n")
    assert found[:2] == [
        "sentence_id\ten\tde\tsource_start\tsource_end\ttarget_start\ttarget_end\tsure",
        "s0\tdog\tHund\t4\t7\t4\t8\tTrue",
    ]
