"""Text as a corpus of sub-words: what it says, how much of it, and what is known of it afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.emergent.corpus import HUMAN_TEXT
from isogloss.backend.corpora.parallel import library
from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments.emergent.text_corpora import TextRecipe, make, make_and_keep, suggested_name
from tests.experiments.xferbench.small_xferbench import small_corpus

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def news(tmp_path: Path) -> str:
    return library.keep(small_corpus(), "News", tmp_path, licence="CC0").id


def test_the_utterances_are_the_texts(news: str, tmp_path: Path) -> None:
    texts = library.load(news, [tmp_path]).align(["fi"])[1]["fi"]
    entry = make_and_keep(TextRecipe(news, "fi", 300), "Finnish", [tmp_path])
    corpus = emergent_library.load(entry.id, [tmp_path])
    assert corpus.vocabulary is not None
    said = [
        "".join(corpus.vocabulary[token] for token in corpus.ids[first:last]).replace("▁", " ")
        for first, last in zip(corpus.starts, corpus.starts[1:], strict=False)
    ]
    assert said == texts
    assert (entry.format, entry.origin, entry.language, entry.licence) == (HUMAN_TEXT, "human", "fi", "CC0")
    assert corpus.report.language == "fi"
    assert entry.source == "News, byte-level BPE of 300 entries"
    again = make(TextRecipe(news, "fi", 300), [tmp_path])
    assert np.array_equal(again.ids, corpus.ids)


def test_characters_cut_the_text_and_the_sub_words_are_its_own(news: str, tmp_path: Path) -> None:
    texts = library.load(news, [tmp_path]).align(["fi"])[1]["fi"]
    most = len(texts[0]) + len(texts[1])
    assert make(TextRecipe(news, "fi", 300, most), [tmp_path]).utterances == 2
    assert make(TextRecipe(news, "fi", 300, most + 1), [tmp_path]).utterances == 3
    assert make(TextRecipe(news, "fi", 300, 1), [tmp_path]).utterances == 1
    assert make(TextRecipe(news, "fi", 300, 10**9), [tmp_path]).utterances == len(texts)


def test_numbers_and_languages_that_do_not_do(news: str, tmp_path: Path) -> None:
    for wrong in (TextRecipe(news, "fi", 255), TextRecipe(news, "fi", 250_001), TextRecipe(news, "fi", 300, 0)):
        with pytest.raises(CorpusError):
            make(wrong, [tmp_path])
    with pytest.raises(CorpusError):
        make(TextRecipe(news, "ja"), [tmp_path])
    with pytest.raises(CorpusError):
        make(TextRecipe("0" * 24, "fi"), [tmp_path])


def test_names_say_what_is_unusual() -> None:
    assert suggested_name(TextRecipe("a" * 24, "fi"), "News") == "News, fi"
    assert suggested_name(TextRecipe("a" * 24, "fi", 512, 2_000_000), "News") == "News, fi, 512 sub-words, 2000000 characters"
    long = suggested_name(TextRecipe("a" * 24, "fi", 512), "x" * 500)
    assert long.endswith(", fi, 512 sub-words")
