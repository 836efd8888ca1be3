"""Codes, n-grams, utterances, the type–token curve and positions against counts over lists."""

from __future__ import annotations

import statistics
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.backend.metrics.corpus import codes as corpus_codes
from isogloss.backend.metrics.corpus import growth as corpus_growth
from isogloss.backend.metrics.corpus import ngrams as corpus_ngrams
from isogloss.backend.metrics.corpus import utterances as corpus_utterances
from isogloss.backend.metrics.corpus.codes import code, entropy_bits, tally
from isogloss.backend.metrics.corpus.frequent import SHOWN, frequent_ngrams, frequent_utterances
from isogloss.backend.metrics.corpus.growth import type_token_curve
from isogloss.backend.metrics.corpus.ngrams import mutual_information, ngram_entropy, ngrams
from isogloss.backend.metrics.corpus.positions import positional_entropy
from isogloss.backend.metrics.corpus.utterances import distinct_utterances, utterance_lengths
from tests.metrics.corpus.corpus_by_hand import (
    ADVERSARIAL,
    CORPORA,
    arrays,
    coded,
    conditional_entropy,
    entropy,
    information,
    tokens,
    windows,
)

CASES = pytest.mark.parametrize("utterances", ADVERSARIAL.values(), ids=ADVERSARIAL)


@given(CORPORA)
def test_codes_stand_for_the_ids(utterances: list[list[int]]) -> None:
    corpus = coded(utterances)
    assert corpus.symbols[corpus.codes].tolist() == tokens(utterances)
    assert corpus.symbols.tolist() == sorted(set(tokens(utterances)))
    assert corpus.counts().tolist() == [tokens(utterances).count(each) for each in corpus.symbols.tolist()]
    assert (corpus.tokens, corpus.types, corpus.utterances) == (
        len(tokens(utterances)),
        len(set(tokens(utterances))),
        len(utterances),
    )


@pytest.mark.parametrize(
    "ids", [[3, 1, 3], [-5, 7, -5], [0, 1, 2, 1], [0, 2**31 - 1], [-(2**63), 2**63 - 1, 0], list(range(2000, 0, -1))]
)
def test_codes_of_any_integers(ids: list[int]) -> None:
    corpus = code(np.array(ids, np.int64), [0, len(ids)])
    assert corpus.symbols[corpus.codes].tolist() == ids
    assert corpus.codes.dtype == np.int32


def test_ids_without_gaps_are_not_copied() -> None:
    ids = np.array([2, 0, 1, 2], np.int32)
    assert code(ids, [0, 4]).codes is ids


@pytest.mark.parametrize(
    ("ids", "starts", "message"),
    [
        ([1.0, 2.0], [0, 2], "arrays of integers"),
        ([True, False], [0, 2], "arrays of integers"),
        ([[1, 2]], [0, 1], "one dimension"),
        ([1, 2], [0.0, 2.0], "arrays of integers"),
        ([1, 2], [0, 1], "never fall, from 0 to the 2 tokens"),
        ([1, 2], [1, 2], "never fall"),
        ([1, 2], [0, 2, 1, 2], "never fall"),
        ([1, 2], np.empty(0, np.int64), "never fall"),
        (np.array([2**63], np.uint64), [0, 1], "beyond the signed integers"),
    ],
)
def test_what_is_no_corpus_is_refused(ids: object, starts: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        code(ids, starts)  # type: ignore[arg-type]


@given(CORPORA, st.integers(1, 9))
def test_blocks_are_all_utterances_in_turn(utterances: list[list[int]], size: int) -> None:
    corpus, at = coded(utterances), 0
    for first, last in corpus.blocks(size):
        assert first == at < last
        own = len(tokens(utterances[first:last]))
        assert own <= size or last == first + 1
        at = last
    assert at == len(utterances)


@given(st.lists(st.integers(0, 50), max_size=9))
def test_entropy_is_that_of_the_shares(counts: list[int]) -> None:
    assert entropy_bits(counts) == pytest.approx(entropy(k for k, n in enumerate(counts) for _ in range(n)), abs=1e-9)


def test_small_chunks_change_no_count(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    ids = np.concatenate([rng.integers(0, 30, 600), rng.integers(0, 2**31 - 1, 20)]).astype(np.int32)
    starts = np.sort(np.concatenate([[0, 0, 620, 620], rng.integers(0, 620, 150)]))

    def everything() -> list[list[float]]:
        corpus = code(ids, starts)
        grams, distinct = ngrams(corpus, 3), distinct_utterances(corpus)
        found = [corpus.codes, corpus.counts(), grams.keys, grams.counts, distinct.first, distinct.counts]
        found += [type_token_curve(corpus).types, np.array([entropy_bits(grams.counts), ngram_entropy(grams).conditional])]
        return [each.tolist() for each in found]

    whole = everything()
    for module in (corpus_codes, corpus_ngrams, corpus_growth, corpus_utterances):
        monkeypatch.setattr(module, "CHUNK", 7)
    for part, wanted in zip(everything(), whole, strict=True):
        assert part == pytest.approx(wanted)


@given(CORPORA, st.integers(1, 5))
def test_ngrams_are_the_windows_within_utterances(utterances: list[list[int]], order: int) -> None:
    corpus, wanted = coded(utterances), Counter(windows(utterances, order))
    grams = ngrams(corpus, order)
    symbols = corpus.symbols[grams.codes(np.arange(len(grams.keys)))].reshape(-1, order)
    found = [tuple(row) for row in symbols.tolist()]
    assert found == sorted(wanted)
    assert grams.counts.tolist() == [wanted[gram] for gram in found]
    measured = ngram_entropy(grams)
    assert (measured.order, measured.windows, measured.distinct) == (order, sum(wanted.values()), len(wanted))
    assert measured.entropy == pytest.approx(entropy(windows(utterances, order)), abs=1e-9)
    assert measured.conditional == pytest.approx(conditional_entropy(windows(utterances, order)), abs=1e-9)


@given(CORPORA, st.integers(2, 5), st.sampled_from([2, 16, 64, 700]))
def test_ngrams_numbered_anew_are_the_same(utterances: list[list[int]], order: int, limit: int) -> None:
    """Where keys would outgrow the limit, here a small one, n-grams are numbered anew, at one order or at several."""
    wanted = Counter(windows(utterances, order))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpus_ngrams, "LIMIT", limit)
        patch.setattr(corpus_ngrams, "TABLE", 0)
        corpus = coded(utterances)
        grams = ngrams(corpus, order)
        found = [tuple(row) for row in corpus.symbols[grams.codes(np.arange(len(grams.keys)))].reshape(-1, order).tolist()]
        assert found == sorted(wanted)
        assert grams.counts.tolist() == [wanted[gram] for gram in found]
        assert ngram_entropy(grams).conditional == pytest.approx(conditional_entropy(windows(utterances, order)), abs=1e-9)
        if corpus.types**order > limit and corpus.types > 1:
            assert grams.tables


def test_keys_that_outgrow_63_bits() -> None:
    """40,000 symbols to the fifth are beyond 64 bits."""
    rng = np.random.default_rng(0)
    utterances = rng.permutation(40_000).reshape(-1, 8).tolist() * 2
    grams = ngrams(coded(utterances), 5)
    assert list(grams.tables) == [4]
    found = grams.codes(np.arange(len(grams.keys)))
    assert {tuple(row) for row in found.tolist()} == set(windows(utterances, 5))
    assert set(grams.counts.tolist()) == {2}


@given(CORPORA)
def test_mutual_information_is_the_sum_over_pairs(utterances: list[list[int]]) -> None:
    found = mutual_information(ngrams(coded(utterances), 2))
    assert found == pytest.approx(information(windows(utterances, 2)), abs=1e-9)


def test_orders_that_are_none() -> None:
    with pytest.raises(ValueError, match="at least one symbol, not 0"):
        ngrams(coded([[1]]), 0)
    with pytest.raises(ValueError, match="not of order 3"):
        mutual_information(ngrams(coded([[1, 2, 3]]), 3))


@given(CORPORA, st.integers(0, 6), st.integers(1, 3))
def test_most_frequent_ngrams(utterances: list[list[int]], most: int, order: int) -> None:
    corpus, wanted = coded(utterances), Counter(windows(utterances, order))
    ranked = sorted(wanted, key=lambda gram: (-wanted[gram], gram))[:most]
    found = frequent_ngrams(corpus, ngrams(corpus, order), most)
    assert [each.ids for each in found] == ranked
    assert [each.count for each in found] == [wanted[gram] for gram in ranked]
    for each in found:
        assert each.share == pytest.approx(each.count / sum(wanted.values()))
        assert each.length == order


@given(CORPORA, st.integers(0, 6))
def test_most_frequent_utterances(utterances: list[list[int]], most: int) -> None:
    corpus, wanted = coded(utterances), Counter(map(tuple, utterances))
    ranked = sorted(wanted, key=lambda row: (-wanted[row], utterances.index(list(row))))[:most]
    found = frequent_utterances(corpus, distinct_utterances(corpus), most)
    assert [(each.ids, each.count, each.length) for each in found] == [(row, wanted[row], len(row)) for row in ranked]
    assert all(each.share == pytest.approx(each.count / len(utterances)) for each in found)


def test_counts_beyond_the_table_are_ranked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.backend.metrics.corpus.frequent.CHUNK", 4)
    corpus = coded([[1] * 9, [2] * 7, [3] * 8, [4] * 7, [5] * 3, [6] * 2, [7] * 3])
    ranked = [1, 3, 2, 4, 5, 7, 6]
    for most in range(9):
        assert [each.ids[0] for each in frequent_ngrams(corpus, ngrams(corpus, 1), most)] == ranked[:most]


def test_a_long_utterance_is_shown_by_its_beginning() -> None:
    corpus = coded([list(range(1000))])
    (found,) = frequent_utterances(corpus, distinct_utterances(corpus))
    assert (found.ids, found.length) == (tuple(range(SHOWN)), 1000)


@given(CORPORA)
def test_distinct_utterances_in_the_order_they_are_first_said(utterances: list[list[int]]) -> None:
    found = distinct_utterances(coded(utterances))
    wanted = Counter(map(tuple, utterances))
    assert found.first.tolist() == [utterances.index(list(row)) for row in wanted]
    assert found.counts.tolist() == list(wanted.values())


@pytest.mark.parametrize("spoil", [lambda mixed: mixed & np.uint64(1), lambda mixed: mixed * np.uint64(0)])
def test_utterances_that_share_a_number_are_told_apart(spoil, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    mix, seeds = corpus_utterances._mix, []

    def colliding(codes: np.ndarray, places: np.ndarray, seed: int) -> np.ndarray:
        seeds.append(seed)
        return mix(codes, places, seed) if seed > 1 else spoil(mix(codes, places, seed))

    monkeypatch.setattr(corpus_utterances, "_mix", colliding)
    utterances = [[a, b] for a in range(9) for b in range(9)] * 2 + [[1], [1, 2, 3], []]
    found = distinct_utterances(coded(utterances))
    assert sorted(found.counts.tolist()) == [1] * 3 + [2] * 81
    assert found.first.tolist() == [*range(81), 162, 163, 164]
    assert max(seeds) == 2


@pytest.mark.parametrize("chunk", [1, 3, 7])
def test_repeats_are_found_wherever_chunks_end(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus_utterances, "CHUNK", chunk)
    utterances = [[1, 2, 3, 4, 5], [6], [], [1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]] * 9
    found = distinct_utterances(coded(utterances))
    assert found.first.tolist() == [0, 1, 2, 4, 6]
    assert found.counts.tolist() == [18, 9, 18, 9, 9]


@given(CORPORA)
def test_lengths(utterances: list[list[int]]) -> None:
    found, own = utterance_lengths(coded(utterances)), [len(row) for row in utterances]
    assert dict(zip(found.lengths.tolist(), found.counts.tolist(), strict=True)) == dict(sorted(Counter(own).items()))
    if own:
        assert (found.shortest, found.longest) == (min(own), max(own))
        assert found.mean == pytest.approx(statistics.fmean(own))
        assert found.median == statistics.median(own)
        assert found.deviation == pytest.approx(statistics.pstdev(own))
    else:
        assert np.isnan([found.shortest, found.longest, found.mean, found.median, found.deviation]).all()


@given(CORPORA, st.integers(2, 40))
def test_the_type_token_curve_counts_as_one_reads(utterances: list[list[int]], points: int) -> None:
    found = type_token_curve(coded(utterances), points)
    read = tokens(utterances)
    assert found.types.tolist() == [len(set(read[:size])) for size in found.tokens.tolist()]
    if read:
        assert (found.tokens[0], found.tokens[-1]) == (1, len(read))
        assert len(found.tokens) <= points + 1
        assert (np.diff(found.tokens) > 0).all()
    if 0 < len(read) <= points // 2:
        assert found.tokens.tolist() == list(range(1, len(read) + 1))
    with pytest.raises(ValueError, match="two points"):
        type_token_curve(coded(utterances), 1)


@given(CORPORA, st.integers(1, 9), st.booleans())
def test_positional_entropy(utterances: list[list[int]], positions: int, from_end: bool) -> None:
    found = positional_entropy(coded(utterances), positions, from_end)
    rows = [row[::-1] if from_end else row for row in utterances]
    longest = max(map(len, rows), default=0)
    assert len(found.entropy) == min(positions, longest)
    for at in range(len(found.entropy)):
        said = [row[at] for row in rows if len(row) > at]
        assert found.utterances[at] == len(said)
        assert found.entropy[at] == pytest.approx(entropy(said), abs=1e-9)


@given(st.lists(st.integers(0, 9), max_size=30), st.integers(10, 12))
@settings(max_examples=30)
def test_tally(values: list[int], size: int) -> None:
    assert tally(np.array(values, np.int32), size).tolist() == [values.count(each) for each in range(size)]


@CASES
def test_adversarial_corpora_are_counted(utterances: list[list[int]]) -> None:
    ids, starts = arrays(utterances)
    corpus = code(ids, starts)
    assert len(distinct_utterances(corpus).first) == len(set(map(tuple, utterances)))
    for order in (1, 2, 3):
        assert ngram_entropy(ngrams(corpus, order)).distinct == len(set(windows(utterances, order)))
    assert ids.tolist() == tokens(utterances)  # nothing is sorted in place that was given
