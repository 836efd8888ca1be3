"""Prices of alignment against what was measured: within a factor of two on an idle machine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from backend.corpora.dictionaries import library as lexicons
from backend.corpora.parallel import library as corpora
from backend.experiments.alignment import price
from backend.experiments.alignment.price import word_retrieval
from backend.experiments.alignment.sentences import SentenceAlignmentSpec
from backend.experiments.alignment.words.distributions import WordDistributionsSpec
from backend.experiments.alignment.words.errors import WordErrorsSpec
from backend.experiments.alignment.words.pair_precision import PairPrecisionSpec
from backend.experiments.alignment.words.spec import DictionaryPair, WordAlignmentSpec
from backend.experiments.estimate import sentence_retrieval
from backend.models.library import library as models
from backend.settings import DEMO
from backend.store import scores
from tests.experiments.devices import IDLE, encoding, model

NTREX = 1997, 875_488
"""Sentences, and the characters of all four languages."""
FASTER = replace(IDLE, encoding_flops=371e9, scoring_flops=393e9)
MINILM = (6, 384, 22_713_216)


@pytest.mark.parametrize(
    ("shape", "kept", "measured"),
    [
        (MINILM, False, 54.2),  # English with German, Chinese and Arabic by the MUSE dictionaries
        (MINILM, True, 4.4),
        ((2, 32, 20_000), False, 8.9),  # a tiny random XLM-R
    ],
)
def test_words_on_news_are_within_a_factor_of_two(shape: tuple[int, int, int], kept: bool, measured: float) -> None:
    found = word_retrieval(encoding(model(*shape), 4, *NTREX, FASTER), 1, 3, 5000, 10, kept=kept)
    assert found is not None
    assert measured / 2 < found.seconds < measured * 2


def test_scoring_words_grows_with_pairs_runs_layers_and_checkpoints() -> None:
    def priced(shards: int = 1, pairs: int = 1, n_pairs: int = 5000, runs: int = 10, layers: int = 6) -> float:
        texts = encoding(model(layers, 384, 1), 2, 20_000, 1, replace(IDLE, scoring_flops=393e9))
        found = word_retrieval(texts, shards, pairs, n_pairs, runs, kept=True)
        assert found is not None
        return found.seconds

    measured = 0.39  # one layer, 5,000 pairs, both directions
    assert priced(runs=10) - priced(runs=9) == pytest.approx(7 * measured, rel=0.3)
    assert priced(n_pairs=2000) - priced(n_pairs=2000, runs=9) == pytest.approx(7 * 0.085, rel=0.3)
    assert priced(pairs=3) == pytest.approx(3 * priced(), rel=0.05)
    assert priced(shards=2) == pytest.approx(2 * priced(), rel=0.05)
    assert priced(layers=13) == pytest.approx(2 * priced(), rel=0.05)


def test_where_all_word_pairs_are_taken_there_is_one_run() -> None:
    few = [word_retrieval(encoding(model(6, 384, 1), 2, 100, 1), 1, 1, 5000, runs, kept=True) for runs in (1, 10)]
    assert few[0] == few[1]


def test_masked_words_are_encoded_one_by_one_and_never_kept() -> None:
    plain, masked, masked_kept = (
        word_retrieval(encoding(model(*MINILM), 4, *NTREX), 1, 3, 5000, 10, **how)
        for how in ({}, {"masked": True}, {"masked": True, "kept": True})
    )
    assert plain
    assert masked
    assert masked == masked_kept
    assert 2 < masked.seconds / plain.seconds < 4  # three times as many sentences: 2 × 3 × 2 a sentence for 4


def test_sentences_on_news_are_within_a_factor_of_two() -> None:
    measured = 17.3  # six pairs, kept vectors
    texts = encoding(model(*MINILM), 4, *NTREX, FASTER)
    kept = sentence_retrieval(texts, 1, kept=True)
    assert kept
    assert measured / 2 < kept.seconds < measured * 2
    encoded = sentence_retrieval(texts, 1)
    assert encoded
    assert 38.2 / 2 < encoded.seconds - kept.seconds < 38.2 * 2


def test_similarity_of_languages_is_cheaper_by_the_first_tokens() -> None:
    both, means = (
        sentence_retrieval(encoding(model(*MINILM), 4, *NTREX), 1, kept=True, first=first) for first in (True, False)
    )
    assert both
    assert means
    assert 3 < both.seconds / means.seconds < 7


def specs() -> dict[str, Any]:
    """A spec of each kind, of the demo's first model, corpus and dictionary."""
    (entry, *_), (first, *_), (words, *_) = (shelf.entries([DEMO]) for shelf in (corpora, models, lexicons))
    pair = DictionaryPair(source=words.source, target=words.target, dictionary=words.id)
    all_of = {"model": first.name, "checkpoints": first.checkpoints, "corpus": entry.id}
    one_of = {"checkpoint": first.checkpoints[-1], "corpus": entry.id, "pair": pair}
    return {
        "word_alignment": WordAlignmentSpec(**all_of, pairs=(pair,)),
        "sentence_alignment": SentenceAlignmentSpec(**all_of, languages=tuple(entry.tags[:3])),
        "word_errors": WordErrorsSpec(**one_of, layer=1),
        "word_distributions": WordDistributionsSpec(**one_of),
        "pair_precision": PairPrecisionSpec(**one_of, gold="a" * 24),
    }


def test_no_price_of_alignment_before_a_worker_has_measured() -> None:
    for name, spec in specs().items():
        assert getattr(price, name)(spec, IDLE, [DEMO]) is not None
        assert getattr(price, name)(spec, None, [DEMO]) is None


def test_a_spec_is_priced_by_what_is_kept() -> None:
    """Its corpus, its model, its dictionary, and the files of this experiment."""
    (entry, *_), (first, *_), (words, *_) = (shelf.entries([DEMO]) for shelf in (corpora, models, lexicons))
    sizes = {each.tag: each.characters for each in entry.languages}
    earlier = scores.shards([DEMO], "alignment")
    n = len(first.checkpoints)
    texts = encoding(first, 2, entry.sentences, sizes[words.source] + sizes[words.target], IDLE, earlier)
    three = encoding(first, 3, entry.sentences, sum(sizes[tag] for tag in entry.tags[:3]), IDLE, earlier)
    few = specs()["word_alignment"].model_copy(update={"n_pairs": 20})
    assert words.pairs < 5000
    expected = {
        "word_alignment": word_retrieval(texts, n, 1, words.pairs, 1),
        "sentence_alignment": sentence_retrieval(three, n),
        "word_errors": word_retrieval(texts, 1, 1, 5000, 1),  # the demo ships scores without vectors
        "word_distributions": word_retrieval(texts, 1, 1, 5000, 1),
        "pair_precision": word_retrieval(texts, 1, 1, 2, 1),
    }
    assert {name: getattr(price, name)(spec, IDLE, [DEMO]) for name, spec in specs().items()} == expected
    assert price.word_alignment(few, IDLE, [DEMO]) == word_retrieval(texts, n, 1, 20, 10)
    masked = specs()["word_alignment"].model_copy(update={"masked": True})
    assert price.word_alignment(masked, IDLE, [DEMO]) == word_retrieval(texts, n, 1, words.pairs, 1, masked=True)
