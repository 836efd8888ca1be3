"""Reference corpora made by a recipe and kept: the same recipe is the same corpus, whatever it is called."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.emergent import recipes
from isogloss.backend.corpora.emergent.corpus import EmergentReport
from isogloss.backend.corpora.emergent.recipes import KINDS, OF_A_CORPUS, Recipe
from isogloss.backend.corpora.shared import kept
from isogloss.backend.errors import CorpusError
from tests.corpora.emergent.utterances import from_utterances

if TYPE_CHECKING:
    from pathlib import Path

SMALL: dict[str, Any] = {"tokens": 500, "vocabulary": 7, "length": 9}
ROWS = [[0, 1, 2, 3], [1, 1, 0], [4], [2, 3, 3, 3, 0]] * 10
WORDS = ("wa", "tok", "<b>", "le", "mi")


@pytest.fixture
def given(tmp_path: Path) -> str:
    corpus = from_utterances(ROWS, WORDS, EmergentReport("x", "words"))
    return emergent_library.keep(corpus, "Mine", tmp_path).id


@pytest.mark.parametrize("kind", KINDS)
def test_a_recipe_is_made_kept_and_read_back(tmp_path: Path, given: str, kind: recipes.Kind) -> None:
    recipe = Recipe(kind, of=given, **SMALL)
    corpus = recipes.make(recipe, [tmp_path])
    entry = recipes.make_and_keep(recipe, "Made", [tmp_path])
    assert (entry.name, entry.format, entry.tokens) == ("Made", KINDS[kind][0], corpus.tokens)
    assert "seed 0" in (entry.source or "")
    assert entry.origin == ("random" if kind == "random" else "synthetic")
    loaded = emergent_library.load(entry.id, [tmp_path])
    assert np.array_equal(loaded.ids, corpus.ids)
    assert np.array_equal(loaded.starts, corpus.starts)
    assert recipes.make_and_keep(recipe, "Again", [tmp_path]).name == "Made"
    other = recipes.make_and_keep(replace(recipe, seed=1), "Other", [tmp_path])
    assert other.id != entry.id
    assert len(emergent_library.entries([tmp_path])) == 3


@pytest.mark.parametrize("kind", OF_A_CORPUS)
def test_symbols_of_the_given_corpus_stay(tmp_path: Path, given: str, kind: recipes.Kind) -> None:
    corpus = recipes.make(Recipe(kind, of=given, **SMALL), [tmp_path])
    assert corpus.report.symbols == "words"
    assert "Mine" in (corpus.report.source or "")
    assert {symbol for place in range(corpus.utterances) for symbol in corpus.utterance(place)} <= set(WORDS)


def test_what_a_shuffle_keeps(tmp_path: Path, given: str) -> None:
    original = [tuple(row) for row in ROWS]
    within = recipes.make(Recipe("shuffled-within", of=given), [tmp_path])
    rows = [tuple(within.ids[a:b].tolist()) for a, b in zip(within.starts, within.starts[1:], strict=False)]
    assert rows != original
    assert [sorted(row) for row in rows] == [sorted(row) for row in original]
    over = recipes.make(Recipe("shuffled-over", of=given), [tmp_path])
    assert np.array_equal(over.starts, within.starts)
    assert Counter(over.ids.tolist()) == Counter(within.ids.tolist())
    mixed = [Counter(over.ids[a:b].tolist()) for a, b in zip(over.starts, over.starts[1:], strict=False)]
    assert mixed != [Counter(row) for row in original]


def test_the_numbers_of_a_recipe_are_used(tmp_path: Path) -> None:
    random = recipes.make(Recipe("random", **SMALL), [tmp_path])
    assert (random.tokens, random.vocabulary_size, int(random.starts[1])) == (500, 7, 9)
    steep = recipes.make(Recipe("paren-synth", alpha=9.0, beta=0.0, **SMALL), [tmp_path])
    flat = recipes.make(Recipe("paren-synth", alpha=0.0, beta=0.0, **SMALL), [tmp_path])
    assert np.count_nonzero(steep.ids == 0) > 450 > 200 > np.count_nonzero(flat.ids == 0)
    released = recipes.make(Recipe("paren-synth", protocol="released", **SMALL), [tmp_path])
    assert not np.array_equal(released.ids, recipes.make(Recipe("paren-synth", **SMALL), [tmp_path]).ids)


@pytest.mark.parametrize(
    ("recipe", "said"),
    [
        (Recipe("random", tokens=0), "1 to 20,000,000 tokens"),
        (Recipe("paren-synth", tokens=recipes.MOST + 1), "1 to 20,000,000 tokens"),
        (Recipe("random", tokens=5, vocabulary=0), "symbols, not 0"),
        (Recipe("random", tokens=5, vocabulary=2**40), "1 to 10,000,000 symbols"),
        (Recipe("random", tokens=5, length=0), "tokens per utterance"),
        (Recipe("random", tokens=5, seed=-1), "A seed is 0 or more"),
        (Recipe("paren-synth", tokens=5, alpha=float("nan")), "no Zipf–Mandelbrot law"),
        (Recipe("paren-real", tokens=5), "is made from a corpus"),
        (Recipe("shuffled-over", of="0" * 24), "emergent corpus"),
    ],
)
def test_what_cannot_be_made_is_said(tmp_path: Path, recipe: Recipe, said: str) -> None:
    with pytest.raises(CorpusError, match=said):
        recipes.make_and_keep(recipe, "Made", [tmp_path])
    assert emergent_library.entries([tmp_path]) == []


def test_a_name_that_is_none_is_said_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="name"):
        recipes.make_and_keep(Recipe("random", tokens=0), " ", [tmp_path])


def test_suggested_names_tell_kinds_and_seeds_apart_and_fit() -> None:
    names = [
        recipes.suggested_name(Recipe(kind, seed=seed), of) for kind in KINDS for seed in (0, 1) for of in ("A", "x" * 300)
    ]
    of_none = 4 * 2  # Random and Paren synth are of no corpus: the same name for both
    assert len(set(names)) == len(names) - of_none // 2
    assert max(map(len, names)) <= kept.MAX_NAME
    assert recipes.suggested_name(Recipe("paren-real", seed=3), "News") == "Paren real of News, seed 3"
    assert recipes.suggested_name(Recipe("shuffled-over"), "News") == "News, shuffled over the corpus, seed 0"
