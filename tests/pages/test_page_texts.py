"""The small parts of the pages that are plain functions: words, sentences as HTML, files spooled, a corpus as TSV."""

from __future__ import annotations

import io
import os
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.corpora.parallel.readers import InputFile, read
from isogloss.backend.errors import StoreError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments import words as spec_words
from isogloss.pages.library.corpora import text as corpus_text
from isogloss.pages.library.shared import texts
from isogloss.pages.library.shared.held import suggestion
from isogloss.pages.library.shared.upload import spool
from isogloss.pages.widgets import words
from isogloss.pages.widgets.figures import figure

if TYPE_CHECKING:
    from pathlib import Path


class Upload(io.BytesIO):
    def __init__(self, name: str, content: bytes) -> None:
        super().__init__(content)
        self.name = name


@given(st.text())
def test_plain_leaves_no_markup(text: str) -> None:
    shown = words.verbatim(text)
    assert "\n" not in shown
    for position, character in enumerate(shown):
        if character in "*_`[]<>$:#":
            assert shown[max(position - 1, 0)] == "\\"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (spec_words.count(1, "file"), "1 file"),
        (spec_words.count(2000, "corpus", "corpora"), "2,000 corpora"),
        (words.size(0), "0 B"),
        (words.size(1_400_000), "1.4 MB"),
        (words.size(5 * 10**12), "5.0 TB"),
        (words.parameters(None), "unknown"),
        (words.parameters(4212), "4,212"),
        (words.parameters(1_900_000), "1.9 M"),
        (words.parameters(278_043_648), "278 M"),
        (words.parameters(7_069_016_064), "7.1 B"),
        (words.ago(100, now=130), "just now"),
        (words.ago(0, now=7200), "2 h ago"),
        (spec_words.languages(["de", "en"]), "German, English"),
        (
            spec_words.languages(["ar", "de", "en", "fi", "fr", "ru", "sw", "zh"]),
            "Arabic, German, English, Finnish, French and 3 more",
        ),
        (suggestion("../../Big corpus.tar.gz"), "Big corpus"),
        (suggestion(""), ""),
        (suggestion("run-0.1.jsonl"), "run-0.1"),
        (suggestion("run-0.1.jsonl.gz"), "run-0.1"),
        (suggestion("corpus 2.5"), "corpus 2.5"),
        (suggestion(r"C:\x\en-de.txt"), "en-de"),
        (suggestion(".jsonl"), ""),
    ],
)
def test_numbers_and_names_as_people_read_them(said: str, expected: str) -> None:
    assert said == expected


def test_protocols_in_words() -> None:
    spec = {
        "experiment": "abx",
        "protocol": "sampled",
        "n_triplets": 100_000,
        "seed": 3,
        "corpus": "x",
        "languages": ["de", "en"],
    }
    assert registry.details(spec, {"x": "News"}).endswith("sampled triplets · 100,000 triplets a pair · seed 3")
    assert "no longer saved" in registry.details(spec, {})


def test_sentences_are_escaped_and_run_their_own_way() -> None:
    html = texts.html(["<1>"], [(language("ar"), ["<script>x</script>"]), (language("en"), [None])], label='a "label"')
    assert "<script>" not in html
    assert "&lt;1&gt;" in html
    assert 'lang="ar" dir="rtl"' in html
    assert "–</td>" in html
    assert 'aria-label="a &quot;label&quot;"' in html


def test_uploads_lie_under_numbers_and_are_gone_afterwards(tmp_path: Path) -> None:
    content = os.urandom(3 << 20)
    with spool([Upload("../../a.txt", content), Upload("/etc/b", b"")], tmp_path) as files:
        assert [file.path.name for file in files] == ["0", "1"]
        assert all(file.path.is_relative_to(tmp_path / "uploads") for file in files)
        assert files[0].path.read_bytes() == content
    assert list((tmp_path / "uploads").iterdir()) == []


def test_uploads_are_gone_after_an_error_and_old_ones_too(tmp_path: Path) -> None:
    old = tmp_path / "uploads" / "old"
    old.mkdir(parents=True)
    os.utime(old, (time.time() - 2 * 86400,) * 2)
    with pytest.raises(ZeroDivisionError), spool([Upload("a", b"x")], tmp_path):
        raise ZeroDivisionError
    assert list((tmp_path / "uploads").iterdir()) == []


def test_upload_that_cannot_be_written_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "uploads").write_text("a file where the folder should be")
    with pytest.raises(StoreError, match="could not be written"), spool([Upload("a", b"x")], tmp_path):
        pass


def test_downloaded_tsv_is_read_back_as_the_same_corpus(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text(
        'id,document_id,en,de,ar\n7,a,"A ""quoted"" word",Ein Wort,كلمة\n3,a,Tab,"Tab\tdrin",\n5,b,Three,Drei,ثلاثة\n'
    )
    corpus = read([InputFile("in.csv", source)])
    target = tmp_path / "out.tsv"
    target.write_bytes(corpus_text.tsv(corpus))
    assert read([InputFile("out.tsv", target)]).table.equals(corpus.table)


def test_side_by_side_rows_have_dashes_where_a_language_lacks_them(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("id,en,de\n1,One,Eins\n2,Two,\n3,,Drei\n")
    corpus = read([InputFile("in.csv", source)])
    ids = corpus_text.sentence_ids(corpus, ["en", "de"])
    assert ids.to_pylist() == ["1", "2", "3"]
    assert corpus_text.column(corpus, "de", ids) == ["Eins", None, "Drei"]


def test_figures_of_names_in_other_scripts_keep_apart() -> None:
    """Two models whose names have no Latin letter: one key for both would be an error of Streamlit's."""
    names = ["IGap of 模型一", "IGap of 模型二", "IGap of model", "Curves café", "Curves caf"]
    found = [figure._file(name) for name in names]
    assert len(set(found)) == len(names)
    assert all(file.isascii() and file == file.strip("-") for file in found)
    assert found[2] == "igap-of-model"


def test_sentences_stand_in_english_too_where_no_other_language_is_asked_for() -> None:
    def page(languages: list[str], shown: list[str]) -> None:
        import streamlit as st

        from isogloss.pages.widgets.lists import gloss

        st.text(str(gloss.choose(languages, shown)))

    def third(languages: list[str], shown: list[str]) -> str:
        return str(AppTest.from_function(page, args=(languages, shown)).run().text[0].value)

    assert third(["de", "en", "fr", "zh"], ["de", "zh"]) == "en"
    assert third(["de", "en", "fr"], ["de", "en"]) == "None"  # English is read already
    assert third(["de", "en"], ["de", "en"]) == "None"
