"""Vectors from parallel sentences: the published matrix, and words nearest to their translations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from isogloss.backend.errors import CorpusError
from isogloss.backend.training import static_vectors as static

SENTENCES = 300
DICTIONARY = 60


def texts_of(seed: int = 0) -> dict[str, list[str]]:
    """Five of sixty words a sentence, in an order of its own in each language; German with capitals, and one lone word."""
    random = np.random.default_rng(seed)
    drawn = [random.choice(DICTIONARY, 5, replace=False) for _ in range(SENTENCES)]
    found = {tag: [" ".join(f"{tag}{n}x" for n in random.permutation(words)) for words in drawn] for tag in ("en", "de")}
    found["de"] = [text.title() for text in found["de"]]
    found["de"][7] += " lonely, lonely!"
    return found


def test_positive_information_against_its_definition() -> None:
    counts = np.random.default_rng(1).integers(0, 4, (7, 9)) * np.random.default_rng(2).integers(0, 2, (7, 9))
    counts[0, 0], counts[:, 3] = 3, 0
    found = static.positive_information(csr_matrix(counts)).toarray()
    total = counts.sum()
    for i in range(7):
        for j in range(9):
            expected = 0.0
            if counts[i, j]:
                expected = max(0.0, math.log((counts[i, j] / total) / (counts[i].sum() / total * counts[:, j].sum() / total)))
            assert found[i, j] == pytest.approx(expected)


def test_a_word_is_nearest_to_its_translation() -> None:
    found = static.train(texts_of(), dims=32)
    assert list(found) == ["de", "en"]
    assert set(found["en"]) == {f"en{n}x" for n in range(DICTIONARY)}
    assert set(found["de"]) == {f"de{n}x" for n in range(DICTIONARY)}, "folded; the lone word occurs in one sentence"
    u, v = (np.array([found[tag][f"{tag}{n}x"] for n in range(DICTIONARY)]) for tag in ("en", "de"))
    np.testing.assert_allclose(np.linalg.norm(u, axis=1), 1, atol=1e-6)
    assert (np.argmax(u @ v.T, axis=1) == np.arange(DICTIONARY)).mean() > 0.95
    again = static.train(texts_of(), dims=32)
    assert all(np.array_equal(found["en"][word], again["en"][word]) for word in found["en"])


def test_frequent_words_come_first_and_rare_ones_when_asked_for() -> None:
    texts = texts_of()
    found = static.train(texts, dims=8, least=1)
    assert list(found["de"])[-1] == "lonely"
    count = {word: sum(text.split().count(word) for text in texts["en"]) for word in found["en"]}
    assert list(count.values()) == sorted(count.values(), reverse=True)


def test_only_the_words_of_some_texts() -> None:
    vectors = static.train(texts_of(), dims=8)["de"]
    assert set(static.only(vectors, ["DE3x, de5x?", "nothing"], "de")) == {"de3x", "de5x"}


def test_too_little_text() -> None:
    with pytest.raises(CorpusError, match="2 sentences with 2 words are too few for 64 dimensions"):
        static.train({"en": ["a", "a"], "de": ["b", "b"]})
