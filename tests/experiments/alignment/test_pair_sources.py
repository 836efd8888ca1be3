"""Pairs against gold links: Och and Ney's numbers where words are tokens, sensible ones elsewhere; and the model's pairs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.corpora.dictionaries.word_pairs import collect
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.word_alignments.tokens import Gold
from isogloss.backend.errors import CorpusError, SpecError
from isogloss.backend.experiments.alignment.words.pair_sources import judge
from tests.experiments.alignment.small_words import model_pairs, small

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.corpora.dictionaries.word_pairs import WordPairs

TEXT = "a b c d e f"
PLACES = st.tuples(st.sampled_from(["s1", "s2", "s3"]), st.integers(0, 5), st.integers(0, 5))


def span(place: int) -> tuple[int, int]:
    return 2 * place, 2 * place + 1


def pairs_at(found: Any) -> WordPairs:
    rows = [(sentence, TEXT, TEXT, own, other) for sentence, own, other in found]
    return collect(rows, "en", "de", repeated=True, sentences=3, source_words=18, ambiguous=0)


@given(predicted=st.sets(PLACES), sure=st.sets(PLACES), possible=st.sets(PLACES))
def test_with_the_same_words_they_are_the_numbers_of_sets(predicted: Any, sure: Any, possible: Any) -> None:
    gold = Gold(
        "en",
        "de",
        {
            sentence: [(span(i), span(j), (s, i, j) in sure) for s, i, j in sorted(sure | possible) if s == sentence]
            for sentence in ("s1", "s2", "s3")
        },
    )
    found = judge(pairs_at((s, span(i), span(j)) for s, i, j in predicted), gold)
    in_sure, in_possible = len(predicted & sure), len(predicted & (sure | possible))
    assert (found.pairs, found.sure_links) == (len(predicted), len(sure))
    assert equal(found.precision, in_possible, len(predicted))
    assert equal(found.recall, in_sure, len(sure))
    assert equal(1 - found.alignment_error_rate, in_sure + in_possible, len(predicted) + len(sure))
    of_two = judge(pairs_at((s, span(i), span(j)) for s, i, j in predicted), gold, {"s1", "s3"})
    assert of_two.pairs == sum(s != "s2" for s, _, _ in predicted)
    assert of_two.sure_links == sum(s != "s2" for s, _, _ in sure)


def equal(value: float, part: int, whole: int) -> bool:
    return value == pytest.approx(part / whole) if whole else math.isnan(value)


def test_a_token_split_into_words_is_found_once_and_the_error_rate_stays_a_rate() -> None:
    """Gold has one token `a b`, the pairs two words of it; and a sentence that gold does not cover says nothing."""
    gold = Gold("en", "de", {"s1": [((0, 3), (0, 1), True), ((4, 5), (4, 5), True)]})
    found = judge(pairs_at([("s1", (0, 1), (0, 1)), ("s1", (2, 3), (0, 1)), ("s2", (0, 1), (0, 1))]), gold)
    assert (found.pairs, found.sure_links, found.precision, found.recall) == (2, 2, 1.0, 0.5)
    assert found.alignment_error_rate == pytest.approx(1 - (1 + 2) / (2 + 2))
    touching = judge(pairs_at([("s1", (3, 4), (0, 1))]), gold)  # the blank beside a token shares nothing with it
    assert touching.precision == 0


def test_other_languages_are_refused() -> None:
    with pytest.raises(CorpusError, match="same direction"):
        judge(pairs_at([]), Gold("de", "en", {}))


def test_the_models_pairs_are_the_mutual_argmax_of_every_sentence(tmp_path: Path) -> None:
    from isogloss.backend.experiments.alignment.words.shard import text_of
    from isogloss.backend.experiments.alignment.words.vectors import WordEncoder

    there = small(tmp_path)
    corpus = corpora.load(there.corpus, there.context.workspaces)
    found = model_pairs(there, 2)
    got = {(r["sentence_id"], r["source_start"], r["target_start"]) for r in found.table.to_pylist()}
    for row in found.table.to_pylist():
        assert there.texts["en"][row["sentence_id"]][row["source_start"] : row["source_end"]] == row["source_word"]
        assert there.texts["de"][row["sentence_id"]][row["target_start"] : row["target_end"]] == row["target_word"]
    encoder, of = WordEncoder(there.context, 2), {}
    for tag in ("en", "de"):
        text = text_of(corpus, there.corpus, there.checkpoint, tag)
        places = [(i, *word) for i, words in enumerate(text.words()) for word in words]
        words = encoder.words(text, places, 0.0)
        unit = words.vectors[:, 2].astype(float)
        unit /= (unit**2).sum(1, keepdims=True) ** 0.5 + 1e-30
        of[tag] = [(text.ids[i], start, unit[row]) for row, (i, start, _) in enumerate(places) if not words.lost[row]]
    expected = set()
    for sentence in set(there.texts["en"]) & set(there.texts["de"]):
        left, right = ([(start, v) for i, start, v in of[tag] if i == sentence] for tag in ("en", "de"))
        cosines = [[float(u @ v) for _, v in right] for _, u in left]
        columns = list(zip(*cosines, strict=True))
        best = [row.index(max(row)) for row in cosines]
        links = [(i, j) for i, j in enumerate(best) if columns[j].index(max(columns[j])) == i]
        expected |= {(sentence, left[i][0], right[j][0]) for i, j in links}
    assert got == expected
    assert len(got) > 100
    with pytest.raises(SpecError, match="layer 3 was asked for"):
        model_pairs(there, 3)
