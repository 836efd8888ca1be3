"""Words, filters and prompts as published, against rules written out; the command that asks for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from isogloss.backend.cli import app
from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.corpora.dictionaries.dictionary import Dictionary
from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments.latent.prompts import (
    FILTERS,
    Word,
    cloze_prompts,
    forms_counted,
    gaps_of,
    kept,
    prompts,
    words_of,
)
from tests.experiments.latent.planted import keep_model, keep_words, planted
from tests.models.tiny import tiny_model

if TYPE_CHECKING:
    from collections.abc import Mapping

FLOWERS = {"flower": ("fleur", "fleurs"), "cloud": ("nuage",), "bag": ("sac",), "table": ("table",)}
CHINESE = {"cloud": ("云",), "flower": ("花",), "bag": ("包",), "soil": ("土",), "table": ("桌",)}


def words() -> list[Word]:
    return words_of({"fr": Dictionary("en", "fr", FLOWERS), "zh": Dictionary("en", "zh", CHINESE)}, "en")


def letters(word: Word) -> Mapping[str, frozenset[int]]:
    """As a tokeniser of single characters: a word begins with its first letter."""
    return {tag: frozenset({ord(forms[0][0])}) for tag, forms in word.forms.items()}


def test_words_are_those_of_all_dictionaries_in_the_firsts_order_whichever_way_they_lead() -> None:
    assert [word.forms["en"][0] for word in words()] == ["flower", "cloud", "bag", "table"]
    assert words()[0].forms == {"en": ("flower",), "fr": ("fleur", "fleurs"), "zh": ("花",)}
    turned = words_of({"zh": Dictionary("zh", "en", {"花": ("flower",)}), "fr": Dictionary("en", "fr", FLOWERS)}, "en")
    assert [word.forms["zh"] for word in turned] == [("花",)]
    with pytest.raises(CorpusError, match="No word of English is in all 2 dictionaries"):
        words_of({"fr": Dictionary("en", "fr", FLOWERS), "zh": Dictionary("en", "zh", {"soil": ("土",)})}, "en")


def test_cloze_sentences_stand_up_to_their_answer_after_others_with_theirs() -> None:
    """As the released notebook prints one, its own colon in the sentence the last."""
    sentences = {
        ("flower", "fleur"): 'Une "___" pousse. Réponse : la "fleur".',
        ("cloud", "nuage"): 'Note : un "___" flotte. Réponse : "nuage".',
        ("bag", "sac"): 'On porte un "___"。答案："sac"。',
    }
    known = Dictionary("en", "fr", FLOWERS, cloze=sentences)
    of_words = words_of({"fr": known}, "en")
    gaps = gaps_of(known, of_words, "en", "fr")
    assert gaps == dict(enumerate(sentences.values()))
    chosen = [word for word in of_words if word.number in gaps]
    found = list(cloze_prompts(chosen, gaps, 2, "fr", 0))
    asked = ['Une "___" pousse. Réponse : "', 'Note : un "___" flotte. Réponse : "', 'On porte un "___"。答案: "']
    for number, prompt in enumerate(found):
        *shown, last = prompt.split("\n")
        assert last == asked[number]
        assert sorted(shown) == sorted(sentence for place, sentence in gaps.items() if place != number)
    assert list(cloze_prompts(chosen, gaps, 2, "fr", 0)) == found
    with pytest.raises(ValueError, match="3 examples need more than 3 words"):
        list(cloze_prompts(chosen, gaps, 3, "fr", 0))
    for without in (Dictionary("en", "fr", FLOWERS), known.invert()):
        with pytest.raises(CorpusError, match="of English and French has no cloze sentences"):
            gaps_of(without, of_words, "en", "fr")


def test_filters_are_the_rules_written_out() -> None:
    def english(target: str, which: str) -> list[str]:
        found = kept(words(), letters, "en", target, which, 10)  # type: ignore[arg-type]
        return [word.forms["en"][0] for word in found]

    assert english("fr", "none") == english("zh", "published") == english("en", "published")
    assert english("fr", "published") == ["cloud", "bag"]  # f begins flower and fleur; table is table
    assert english("zh", "apart") == ["cloud", "bag"]  # also where Chinese is asked for
    assert [len(kept(words(), letters, "en", "zh", which, 2)) for which in FILTERS] == [2, 2, 2]
    nowhere = kept(words(), lambda word: {**letters(word), "zh": frozenset()}, "en", "fr", "none", 9)
    assert nowhere == []
    inside = [Word(0, {"en": ("art",), "de": ("Kunstart",)})]  # begins apart, but the answer has the English word in it
    assert kept(inside, letters, "en", "de", "published", 9) == []
    assert kept(inside, letters, "en", "de", "apart", 9) == inside


def test_the_prompt_is_the_published_one() -> None:
    (alone,) = prompts(words()[:1], "fr", "zh", 0, 0)
    assert alone == 'Français: "fleur" - 中文: "'
    (first, *_) = prompts(words()[:2], "fr", "zh", 1, 0)
    assert first == 'Français: "nuage" - 中文: "云"\nFrançais: "fleur" - 中文: "'
    (repeated, *_) = prompts(words()[:2], "fr", "fr", 1, 0)
    assert repeated == 'Français: "nuage" - Français: "nuage"\nFrançais: "fleur" - Français: "'
    every = list(prompts(words(), "fr", "zh", 3, 5))
    assert every == list(prompts(words(), "fr", "zh", 3, 5))
    for word, prompt in zip(words(), every, strict=True):
        assert prompt.count("\n") == 3
        assert prompt.count(f'"{word.forms["fr"][0]}"') == 1  # asked, and no example of itself
    with pytest.raises(ValueError, match="4 examples need more than 4 words"):
        list(prompts(words(), "fr", "zh", 4, 0))


def test_forms_that_count() -> None:
    word = words()[0]
    assert forms_counted(word, "fr", synonyms=False, capitals=False) == ["fleur"]
    assert forms_counted(word, "fr", synonyms=True, capitals=True) == ["fleur", "fleurs", "Fleur", "Fleurs"]


def test_the_command_makes_the_spec_and_refuses_in_a_sentence(workspace: Path, tmp_path: Path) -> None:
    def run(*more: str, model: str = "Planted", of: tuple[str, ...] = ("en-fr", "en-de")) -> tuple[int, str]:
        named = [part for each in of for part in ("--dictionary", each)]
        found = CliRunner().invoke(app, ["run", "latent", "--model", model, *named, *more, "--print-spec"])
        return found.exit_code, found.output + str(found.exception or "")

    keep_model(planted(tmp_path / "model"), workspace)
    keep_words(workspace)
    code, said = run()
    spec = json.loads(said)
    assert (code, spec["pivot"], spec["source"], spec["targets"]) == (0, "en", "fr", ["de", "en"])
    spec = json.loads(run("--task", "repetition", "--targets", "en", "--words", "9", "--filter", "apart")[1])
    assert (spec["task"], spec["source"], spec["targets"], spec["words"], spec["filter"]) == (
        "repetition",
        None,
        ["en"],
        9,
        "apart",
    )
    assert json.loads(run("--source", "de", "--targets", "fr")[1])["source"] == "de"
    dictionaries.keep(Dictionary("es", "it", {"casa": ("casa",)}), "es-it", workspace)
    assert "share no language" in run(of=("en-fr", "es-it"))[1]
    assert "not of the pivot fr" in run("--pivot", "fr")[1]
    assert "no dictionary 'nothing'" in run(of=("nothing",))[1]
    keep_plain = tiny_model(tmp_path / "plain", "deberta-v2")
    from isogloss.backend.models.library import library as models
    from isogloss.backend.models.library.discover import discover

    models.keep(discover(str(keep_plain), name="Plain"), workspace)
    code, said = run(model="Plain")
    assert code != 0
    assert "was saved as DebertaV2Model: it has no head that tells tokens" in said
