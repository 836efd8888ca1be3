"""The Zipf fit, compression, structure, warnings, and all statistics of a corpus at once."""

from __future__ import annotations

import math
import statistics
import tracemalloc
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from isogloss.backend.metrics.corpus.codes import code
from isogloss.backend.metrics.corpus.compression import compression
from isogloss.backend.metrics.corpus.ngrams import mutual_information, ngrams
from isogloss.backend.metrics.corpus.statistics import corpus_statistics
from isogloss.backend.metrics.corpus.structure import bigram_structure
from isogloss.backend.metrics.corpus.warnings import corpus_warnings
from isogloss.backend.metrics.corpus.zipf import fit_zipf_mandelbrot, rank_frequency
from tests.metrics.corpus.corpus_by_hand import (
    ADVERSARIAL,
    CORPORA,
    arrays,
    coded,
    conditional_entropy,
    entropy,
    tokens,
    windows,
)

CASES = pytest.mark.parametrize("utterances", ADVERSARIAL.values(), ids=ADVERSARIAL)


def drawn(types: int, alpha: float, beta: float, size: int, seed: int = 0) -> np.ndarray:
    """Counts of a law with known exponent, in no order."""
    weights = np.array([(rank + beta) ** -alpha for rank in range(1, types + 1)], np.float64)
    rng = np.random.default_rng(seed)
    return rng.permutation(rng.multinomial(size, weights / weights.sum()))


def slow_loss(alpha: float, beta: float, counts: list[int]) -> float:
    """Nats per token."""
    weights = [(rank + beta) ** -alpha for rank in range(1, len(counts) + 1)]
    total = sum(weights)
    logs = [math.log(weight / total) for weight in weights]
    return -sum(n * log for n, log in zip(counts, logs, strict=True)) / sum(counts)


@pytest.mark.parametrize(
    ("types", "alpha", "beta", "size"),
    [(1000, 1.0, 2.7, 1_000_000), (29_990, 1.0, 2.7, 15_000_000), (5000, 1.2, 5.0, 2_000_000), (50, 0.8, 0.0, 100_000)],
)
def test_a_law_with_known_exponent_is_found(types: int, alpha: float, beta: float, size: int) -> None:
    found = fit_zipf_mandelbrot(drawn(types, alpha, beta, size))
    assert found.alpha == pytest.approx(alpha, rel=0.02)
    assert found.beta == pytest.approx(beta, rel=0.06, abs=0.1)
    assert found.divergence < 0.005
    assert not found.at_bound
    assert found.types == types


def test_few_tokens_give_what_the_docstring_says() -> None:
    fits = [fit_zipf_mandelbrot(drawn(29_990, 1.0, 2.7, 100_000, seed)) for seed in range(5)]
    assert np.mean([fit.alpha for fit in fits]) == pytest.approx(0.96, abs=0.01)
    assert np.mean([fit.beta for fit in fits]) == pytest.approx(2.06, abs=0.15)


@given(st.lists(st.integers(1, 60), min_size=3, max_size=12), st.integers(0, 5))
@settings(max_examples=20)
def test_no_other_exponents_are_likelier(counts: list[int], seed: int) -> None:
    found, ordered = fit_zipf_mandelbrot(counts), sorted(counts, reverse=True)
    own = slow_loss(found.alpha, found.beta, ordered)
    assert found.divergence == pytest.approx(
        own / math.log(2) - entropy(k for k, n in enumerate(counts) for _ in range(n)), abs=1e-6
    )
    rng = np.random.default_rng(seed)
    tried = [(rng.uniform(0, 10), rng.uniform(0, 10 * len(counts))) for _ in range(60)]
    near = [(found.alpha + a, found.beta + b) for a in (-0.01, 0, 0.01) for b in (-0.01, 0, 0.01)]
    for alpha, beta in tried + [(a, b) for a, b in near if 0 <= a <= 10 and 0 <= b <= 10 * len(counts)]:
        assert own <= slow_loss(alpha, beta, ordered) + 1e-6


def test_bins_of_ranks_change_nothing() -> None:
    """The fit of 20,000 ranks in bins against every rank by itself."""
    ordered = np.sort(drawn(20_000, 1.1, 4.0, 1_000_000))[::-1]
    ordered = ordered[ordered > 0]
    ranks = np.arange(1, len(ordered) + 1.0)

    def loss(point: np.ndarray) -> float:
        logs = np.log(ranks + point[1])
        return float(point[0] * (ordered @ logs) / ordered.sum() + np.log(np.exp(-point[0] * logs).sum()))

    slow = optimize.minimize(loss, (1.0, 1.0), method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-12}).x
    found = fit_zipf_mandelbrot(ordered)
    assert (found.alpha, found.beta) == pytest.approx(tuple(slow), rel=1e-4)
    weights = (ranks + found.beta) ** -found.alpha
    assert found.shares([1, 500, len(ordered)]) == pytest.approx((weights / weights.sum())[[0, 499, -1]], rel=1e-6)


def test_counts_that_have_no_fit_or_a_plain_one() -> None:
    for counts in ([], [0, 0], [5], [5, 3], [0, 5, 3]):
        found = fit_zipf_mandelbrot(counts)
        assert math.isnan(found.alpha)
        assert math.isnan(found.beta)
        assert found.types == len([each for each in counts if each])
        assert np.isnan(found.shares([1])).all()
    equal = fit_zipf_mandelbrot([7] * 5)
    assert (equal.alpha, equal.beta, equal.divergence) == (0, 0, 0)
    assert equal.shares([1, 5]) == pytest.approx([0.2, 0.2])
    steep = fit_zipf_mandelbrot([2**n for n in range(20)])
    assert steep.at_bound


@given(st.lists(st.integers(0, 9), max_size=30))
def test_ranks_of_few_symbols_are_all_there(counts: list[int]) -> None:
    found = rank_frequency(counts)
    assert found.counts.tolist() == sorted((each for each in counts if each), reverse=True)
    assert found.ranks.tolist() == list(range(1, len(found.counts) + 1))


def test_many_ranks_are_thinned_by_ratio() -> None:
    counts = np.arange(100_000)
    found = rank_frequency(counts, points=300)
    assert len(found.ranks) <= 300
    assert (found.ranks[0], found.ranks[-1]) == (1, 99_999)
    assert found.counts.tolist() == [100_000 - rank for rank in found.ranks.tolist()]


def slow_encoding(utterances: list[list[int]]) -> bytes:
    said = tokens(utterances)
    ranked = sorted(set(said), key=lambda each: (-said.count(each), each))
    width = 1 if len(ranked) < 256 else 2 if len(ranked) < 65536 else 4
    rows = [[ranked.index(each) + 1 for each in row] + [0] for row in utterances]
    return b"".join(number.to_bytes(width, "little") for row in rows for number in row)


@given(CORPORA)
def test_compression_is_of_the_documented_encoding(utterances: list[list[int]]) -> None:
    found, plain = compression(coded(utterances)), slow_encoding(utterances)
    assert (found.encoded, found.compressed) == (len(plain), len(zlib.compress(plain, 6)))
    if plain:
        assert found.ratio == len(plain) / len(zlib.compress(plain, 6))
    else:
        assert math.isnan(found.ratio)
    assert math.isnan(found.bits_per_token) == (not tokens(utterances))


def test_wide_encodings_and_names_of_symbols() -> None:
    rng = np.random.default_rng(0)
    utterances = rng.permutation(600).reshape(-1, 6).tolist() * 2
    found, plain = compression(coded(utterances)), slow_encoding(utterances)
    assert (found.encoded, found.compressed) == (2 * (1200 + 200), len(zlib.compress(plain, 6)))
    assert found.bits_per_token == pytest.approx(8 * found.compressed / 1200)
    many = code(np.arange(70_000, dtype=np.int32), [0, 70_000])
    assert compression(many).encoded == 4 * 70_001
    names = [[1000 + 3 * each for each in row] for row in utterances]
    assert compression(coded(names)) == found


def language(size: int, seed: int = 0) -> np.ndarray:
    """A chain in which each of 20 symbols is mostly followed by one other."""
    rng = np.random.default_rng(seed)
    found, jump = [0], rng.random(size) < 0.3
    for at in range(1, size):
        found.append(int(rng.integers(20)) if jump[at] else (3 * found[-1] + 1) % 20)
    return np.array(found, np.int32)


def test_structure_is_found_in_a_chain_and_not_in_noise() -> None:
    starts = np.arange(0, 20_001, 10)
    chain = bigram_structure(code(language(20_000), starts))
    assert chain.exceeds_chance
    assert chain.excess > 1.5
    assert (chain.tokens, chain.pairs) == (20_000, 18_000)
    rng = np.random.default_rng(1)
    weights = 1 / np.arange(1, 2001)
    for noise in (rng.integers(0, 20, 20_000), rng.choice(2000, 20_000, p=weights / weights.sum()), rng.permutation(20_000)):
        found = bigram_structure(code(noise, starts))
        assert not found.exceeds_chance
        assert abs(found.excess) < 0.02 * found.entropy
    many = bigram_structure(code(rng.choice(2000, 20_000, p=weights / weights.sum()), starts))
    assert many.information > 1  # all of it bias: without the shuffles this would be taken for structure


def test_structure_is_what_it_says() -> None:
    corpus = code(language(3_000), np.arange(0, 3_001, 6))
    found = bigram_structure(corpus, seed=2)
    assert found.information == mutual_information(ngrams(corpus, 2))
    assert found.entropy == pytest.approx(entropy(corpus.codes.tolist()))
    rng = np.random.default_rng(2)
    values = [mutual_information(ngrams(code(rng.permutation(corpus.codes), corpus.starts), 2)) for _ in range(10)]
    assert found.shuffled == pytest.approx(statistics.fmean(values))
    assert found.spread == pytest.approx(statistics.stdev(values))
    assert bigram_structure(corpus, seed=2) == found
    assert bigram_structure(corpus, seed=3) != found
    with pytest.raises(ValueError, match="two shuffles"):
        bigram_structure(corpus, shuffles=1)


def test_an_excess_beyond_chance_but_below_a_hundredth_of_the_entropy_is_none() -> None:
    rng = np.random.default_rng(0)
    ids = rng.integers(0, 4, 400_000)
    again = np.flatnonzero(rng.random(399_999) < 0.05)
    ids[again + 1] = ids[again]
    found = bigram_structure(code(ids, [0, len(ids)]))
    assert 20 * found.spread < found.excess < 0.01 * found.entropy
    assert not found.exceeds_chance


def test_utterances_of_one_symbol_each_are_structure() -> None:
    """Which symbols share an utterance is: shuffled within utterances, such a corpus would be the same."""
    ids = np.repeat(np.random.default_rng(0).integers(0, 10, 1000), 8)
    assert bigram_structure(code(ids, np.arange(0, 8001, 8))).excess > 3


def test_a_large_corpus_is_represented_by_whole_utterances_of_it() -> None:
    ids, starts = language(30_000), np.arange(0, 30_001, 10)
    found = bigram_structure(code(ids, starts), sample=5_000)
    assert (found.tokens, found.pairs) == (5_000, 4_500)
    whole = bigram_structure(code(ids, starts))
    assert found.excess == pytest.approx(whole.excess, rel=0.1)
    one = bigram_structure(code(ids, [0, 30_000]), sample=5_000)
    assert (one.tokens, one.pairs) == (5_000, 4_999)
    uneven = bigram_structure(code(ids, [0, 0, 4_000, 4_000, 29_990, 30_000]), sample=6_000)
    assert uneven.tokens in {4_010, 4_000, 10, 6_000}


def kinds(utterances: list[list[int]], budget: int = 0) -> list[str]:
    return [each.kind for each in corpus_statistics(*arrays(utterances), budget=budget).warnings]


def test_each_warning_by_its_rule() -> None:
    chain = language(4_000).reshape(-1, 8).tolist()
    noise = np.random.default_rng(0).integers(0, 20, (500, 8)).tolist()
    assert kinds(chain) == []
    assert kinds(noise) == ["no structure"]
    assert kinds(chain[:300] * 3) == ["repeated"]
    assert kinds([[1, 1]] * 5, budget=99) == ["one symbol"]
    assert kinds([[1, 1]] * 5, budget=101) == ["one symbol", "small"]
    assert kinds([], budget=10) == ["empty"]
    assert kinds([[]], budget=10) == ["empty"]
    assert kinds([[each] for each in range(50)]) == ["no structure"]
    assert kinds(chain, budget=40_000) == []
    assert kinds(chain, budget=40_001) == ["small"]
    messages = [each.message for each in corpus_statistics(*arrays([[each] for each in range(50)])).warnings]
    assert messages == [
        "50 tokens: pre-training on 15,000,000 sees each of them 300,000 times.",
        "No utterance has two symbols, so none follows another.",
    ]


def test_half_of_the_utterances_may_be_repeats() -> None:
    structure = bigram_structure(code(language(4_000), np.arange(0, 4_001, 8)))
    assert corpus_warnings(4_000, 20, 500, 250, structure, budget=0) == ()
    (found,) = corpus_warnings(4_000, 20, 500, 249, structure, budget=0)
    assert found.message == "Only 249 of 500 utterances are different ones; the rest repeat them."


@CASES
def test_every_corpus_has_statistics(utterances: list[list[int]]) -> None:
    found = corpus_statistics(*arrays(utterances))
    assert (found.tokens, found.utterances) == (len(tokens(utterances)), len(utterances))
    assert found.types == len(set(tokens(utterances)))
    assert found.distinct_utterances == len(set(map(tuple, utterances)))
    assert found.entropy == pytest.approx(entropy(tokens(utterances)))
    assert [each.order for each in found.entropies] == [1, 2, 3, 4]
    for each, listed in zip(found.entropies, found.frequent_ngrams, strict=True):
        assert each.entropy == pytest.approx(entropy(windows(utterances, each.order)))
        assert each.conditional == pytest.approx(conditional_entropy(windows(utterances, each.order)), abs=1e-9)
        assert sum(one.count for one in listed) <= each.windows
    assert sum(each.count for each in found.frequent_utterances) == len(utterances)
    assert len(found.warnings) > 0


def test_statistics_repeat_and_do_not_change_what_they_are_given() -> None:
    ids, starts = language(5_000), np.arange(0, 5_001, 5)
    kept = ids.copy(), starts.copy()
    first, second = corpus_statistics(ids, starts, seed=4), corpus_statistics(ids, starts, seed=4)
    assert first.structure == second.structure
    assert first.frequent_ngrams == second.frequent_ngrams
    assert np.array_equal(ids, kept[0])
    assert np.array_equal(starts, kept[1])
    assert len(corpus_statistics(ids, starts, orders=2, most=3).frequent_ngrams[1]) == 3
    with pytest.raises(ValueError, match="at least one symbol, not 0"):
        corpus_statistics(ids, starts, orders=0)


def test_memory_follows_the_tokens_and_not_the_ids() -> None:
    ids = np.random.default_rng(0).choice([0, 5, 2**31 - 1], 400_000).astype(np.int32)
    tracemalloc.start()
    corpus_statistics(ids, np.arange(0, 400_001, 8))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100 * len(ids)
