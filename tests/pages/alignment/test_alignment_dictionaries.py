"""Which dictionary pairs the words: one with scores, then one's own; the demo's serve its own corpus alone, unless chosen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.corpora.dictionaries.dictionary import Dictionary, DictionaryReport
from isogloss.backend.corpora.parallel import library
from isogloss.backend.corpora.parallel.readers import InputFile, read
from isogloss.backend.experiments.alignment.words import shard as word_alignment
from isogloss.backend.experiments.alignment.words.spec import DictionaryPair, WordAlignmentSpec
from isogloss.backend.experiments.spec import Context
from isogloss.backend.models.library import library as models
from isogloss.backend.settings import settings
from tests.pages.abx.abx_page import CONTRAST
from tests.pages.alignment.test_alignment_page import THREE, open_alignment, shown  # noqa: F401 — a fixture

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.pages.beside import Beside

WORDS = {"boat": ("boot",), "tree": ("baum",), "moon": ("mond",), "house": ("haus",)}
CHINESE = "这里是一个房子和树木。"
LINES = ["en\tde\tfr\tzh"] + [f"The {en} is here.\tHier ist {de[0]}.\tVoici {en}.\t{CHINESE}" for en, de in WORDS.items()]


def keep_dictionary(folder: Path, source: str, target: str, name: str, words: Mapping[str, tuple[str, ...]] = WORDS) -> str:
    made = Dictionary(source, target, dict(words), DictionaryReport("Text", 0, 0, (), 0, ()))
    return dictionaries.keep(made, name, folder).id


@pytest.fixture
def own_corpus(shown: Beside, tmp_path: Path) -> str:  # noqa: F811
    table = tmp_path / "in.tsv"
    table.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return library.keep(read([InputFile("in.tsv", table)]), "Own", tmp_path).id


def said(app: object) -> list[str]:
    return [each.value for each in app.caption if each.value.startswith("Dictionar")]  # type: ignore[attr-defined]


def test_ones_own_dictionary_serves_ones_own_corpus(own_corpus: str, tmp_path: Path) -> None:
    keep_dictionary(tmp_path, "en", "de", "Zzz own")  # after the demo's in the alphabet
    app = open_alignment(corpus="Own", model=CONTRAST)
    assert said(app) == ["Dictionary: de–en Zzz own (4 words)."]
    [box] = [each for each in app.selectbox if each.label == "German and English"]
    assert (box.value, "Demo English–German" in box.options) == ("Zzz own", True)
    [chinese] = [each for each in app.selectbox if each.label == "English and Chinese"]
    assert chinese.value == "None"
    next(each for each in app.button if each.label == "Use the demo's").click()
    app.run()
    [line] = said(app)
    assert "de–en Zzz own" in line
    assert "en–zh Demo English–Chinese" in line


def test_without_a_dictionary_of_ones_own_the_demos_is_a_choice(own_corpus: str) -> None:
    app = open_alignment(corpus="Own", model=CONTRAST)
    assert any("choose one under Sources of word pairs" in each.value for each in app.info)
    next(each for each in app.button if each.label == "Use the demo's").click()
    app.run()
    assert not any("No dictionary" in each.value for each in app.info)
    assert len(said(app)) == 1


def test_what_has_scores_comes_first_and_stays_named(shown: Beside, tmp_path: Path) -> None:  # noqa: F811
    """The demo's dictionary on its own corpus keeps its figures until one's own has scores there as well."""
    entry = next(each for each in dictionaries.entries(settings().workspaces) if each.target == "de")
    words = dictionaries.load(entry.id, settings().workspaces).entries
    own = keep_dictionary(tmp_path, "en", "de", "Aaa own", dict(list(words.items())[:50]))
    app = open_alignment(languages=THREE, model=CONTRAST)
    [line] = said(app)
    assert line == "Dictionaries: de–en Demo English–German (991 words), en–zh Demo English–Chinese (892 words)."
    model = next(each for each in models.entries(settings().workspaces) if each.name == CONTRAST)
    [corpus] = library.entries(settings().workspaces)
    pair = DictionaryPair(source="de", target="en", dictionary=own)
    spec = WordAlignmentSpec(model=CONTRAST, checkpoints=model.checkpoints[-1:], corpus=corpus.id, pairs=(pair,))
    for shard in spec.shards():
        word_alignment.compute(spec, shard, Context(settings()))
    assert "de–en Aaa own (50 words)" in said(open_alignment(languages=THREE, model=CONTRAST))[0]


def test_the_pairs_that_exist_are_drawn(own_corpus: str, shown: Beside, tmp_path: Path) -> None:  # noqa: F811
    dictionary = keep_dictionary(tmp_path, "en", "de", "English–German")
    keep_dictionary(tmp_path, "en", "fr", "English–French")
    model = next(each for each in models.entries(settings().workspaces) if each.name == CONTRAST)
    pair = DictionaryPair(source="de", target="en", dictionary=dictionary)
    spec = WordAlignmentSpec(model=CONTRAST, checkpoints=model.checkpoints[-1:], corpus=own_corpus, pairs=(pair,))
    for shard in spec.shards():
        word_alignment.compute(spec, shard, Context(settings()))
    for view in ("Curves", "Layers × checkpoints", "Table"):
        shown.clear()
        app = open_alignment(corpus="Own", model=CONTRAST, view=view)
        assert any("1 of 2 language pairs is computed and drawn; means are over 1." in each.value for each in app.caption)
        assert shown, view
