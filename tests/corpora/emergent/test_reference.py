"""Made corpora: the nesting token by token, frequencies as asked for, shuffles that keep what they should."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from isogloss.backend.corpora.emergent import reference
from isogloss.backend.corpora.emergent.corpus import EmergentCorpus
from isogloss.backend.corpora.emergent.reference import Utterances
from isogloss.backend.errors import CorpusError

CORPORA = st.lists(st.lists(st.integers(0, 6), min_size=1, max_size=8), min_size=1, max_size=12)


def flat(utterances: list[list[int]]) -> Utterances:
    ids = np.array([each for row in utterances for each in row], np.int32)
    return Utterances(ids, np.cumsum([0, *map(len, utterances)], dtype=np.int64))


def lists(corpus: Utterances) -> list[list[int]]:
    return [corpus.ids[a:b].tolist() for a, b in zip(corpus.starts[:-1], corpus.starts[1:], strict=True)]


def slow_nesting(wanted: list[bool]) -> tuple[list[int], list[bool]]:
    """Level and kind of each token, where `wanted` says which would open."""
    level, opens, depth = [], [], 0
    for each in wanted:
        opening = each or depth == 0
        depth += 1 if opening else -1
        opens.append(opening)
        level.append(depth if opening else depth + 1)
    return level, opens


def closings(ids: NDArray[np.int32], opens: NDArray[np.bool_]) -> int:
    """Reads the stream with a stack, where no token may close another symbol than the last open one; how many pairs closed."""
    stack: list[int] = []
    for symbol, opening in zip(ids.tolist(), opens.tolist(), strict=True):
        if opening:
            stack.append(symbol)
        else:
            assert stack.pop() == symbol
    return (len(ids) - len(stack)) // 2


@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_nesting_is_a_walk_that_turns_upwards_at_zero(wanted: list[bool]) -> None:
    class Drawn:
        def random(self, size: int) -> NDArray[np.float64]:
            assert size == len(wanted)
            return np.where(wanted, 0.1, 0.9)

    level, opens = reference._nesting(len(wanted), 0.4, Drawn())  # type: ignore[arg-type]
    assert (level.tolist(), opens.tolist()) == slow_nesting(wanted)


@pytest.mark.parametrize("protocol", ["correct", "released"])
def test_every_closing_repeats_the_symbol_that_was_opened_last(protocol: reference.Protocol) -> None:
    tokens, probabilities = 50_000, reference.zipf_mandelbrot(500)
    found = reference.paren(tokens, probabilities, seed=1, protocol=protocol)
    _, opens = reference._nesting(tokens, reference.OPENING[protocol], np.random.default_rng(1))
    assert closings(found.ids, opens) > 20_000
    opened = Counter(found.ids[opens].tolist())
    expected = probabilities * opens.sum()
    frequent = expected > 200
    got = np.array([opened[symbol] for symbol in np.flatnonzero(frequent)])
    assert (np.abs(got - expected[frequent]) < 5 * np.sqrt(expected[frequent])).all()


def test_the_protocols_open_with_0_4_and_0_5_where_they_may_close() -> None:
    for protocol, share in (("correct", 0.4), ("released", 0.5)):
        level, opens = reference._nesting(400_000, reference.OPENING[protocol], np.random.default_rng(0))
        after = np.where(opens, level, level - 1)
        free = after[:-1] > 0  # tokens that could close
        assert opens[1:][free].mean() == pytest.approx(share, abs=0.005)
        assert opens[1:][~free].all()
        if protocol == "correct":
            assert after.mean() == pytest.approx(2.5, abs=0.1)
        else:
            assert after.mean() > 50


def test_deep_nesting_outgrows_16_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(reference.OPENING, "released", 0.95)
    found = reference.paren(60_000, np.ones(7), seed=0, protocol="released")
    level, opens = reference._nesting(60_000, 0.95, np.random.default_rng(0))
    assert level.max() > 40_000
    closings(found.ids, opens)


def test_zipf_mandelbrot_is_the_law() -> None:
    found = reference.zipf_mandelbrot(4, alpha=1.5, beta=2.7)
    weights = [(rank + 2.7) ** -1.5 for rank in (1, 2, 3, 4)]
    assert found.tolist() == pytest.approx([each / sum(weights) for each in weights])
    default = reference.zipf_mandelbrot()
    assert len(default) == 29_990
    assert default[0] / default[9] == pytest.approx(12.7 / 3.7)
    assert reference.zipf_mandelbrot(3, alpha=0).tolist() == pytest.approx([1 / 3] * 3)
    assert reference.zipf_mandelbrot(1).tolist() == [1]


def test_random_has_every_symbol_as_often() -> None:
    found = reference.uniform(200_000, seed=0, vocabulary=50, length=30)
    counts = np.bincount(found.ids, minlength=50)
    assert len(counts) == 50
    assert (np.abs(counts - 4000) < 5 * np.sqrt(4000)).all()
    pairs = Counter(zip(found.ids[:-1].tolist(), found.ids[1:].tolist(), strict=True))
    assert len(pairs) == 2500
    assert max(pairs.values()) < 80 + 6 * np.sqrt(80)


@pytest.mark.parametrize("length", [1, 7, 256, 1000, 5000])
def test_streams_are_cut_into_utterances_of_a_length(length: int) -> None:
    for found in (
        reference.uniform(1000, 0, length=length),
        reference.paren(1000, reference.zipf_mandelbrot(9), 0, length=length),
    ):
        sizes = [len(row) for row in lists(found)]
        assert sum(sizes) == 1000
        assert set(sizes[:-1]) <= {length}
        assert 1 <= sizes[-1] <= length
        EmergentCorpus(found.ids, found.starts)


def test_chunks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = reference.paren(5_000, reference.zipf_mandelbrot(50), 3)
    monkeypatch.setattr(reference, "CHUNK", 600)
    parts = reference.paren(5_000, reference.zipf_mandelbrot(50), 3)
    assert np.array_equal(whole.ids, parts.ids)


def test_paren_real_has_the_unigrams_of_the_given_corpus() -> None:
    given_ids = np.array([5, 5, 5, 2, 2, 9, 9, 9, 9, 9], np.int32)
    shares = reference.unigrams(given_ids)
    assert shares.tolist() == [0, 0, 0.2, 0, 0, 0.3, 0, 0, 0, 0.5]
    found = reference.paren(20_000, shares, 0)
    assert set(found.ids.tolist()) == {2, 5, 9}
    assert np.bincount(found.ids)[[2, 5, 9]] / 20_000 == pytest.approx([0.2, 0.3, 0.5], abs=0.02)


@given(CORPORA, st.integers(0, 5))
def test_shuffles_keep_what_they_should(utterances: list[list[int]], seed: int) -> None:
    corpus = flat(utterances)
    within, over = reference.shuffled_within(*corpus, seed), reference.shuffled_over(*corpus, seed)
    for found in (within, over):
        assert found.starts.tolist() == corpus.starts.tolist()
        assert found.starts is not corpus.starts
        EmergentCorpus(found.ids, found.starts)
    assert [sorted(row) for row in lists(within)] == [sorted(row) for row in utterances]
    assert sorted(over.ids.tolist()) == sorted(corpus.ids.tolist())
    assert corpus.ids.tolist() == [each for row in utterances for each in row]


def test_every_order_of_an_utterance_is_as_likely(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference, "CHUNK", 1000)
    corpus = flat([[0, 1, 2]] * 12_000 + [[3]] * 5 + [list(range(4, 2004))])
    found = lists(reference.shuffled_within(*corpus, 0))
    orders = Counter(map(tuple, found[:12_000]))
    assert len(orders) == 6
    assert all(abs(n - 2000) < 5 * np.sqrt(2000) for n in orders.values())
    assert found[12_000:-1] == [[3]] * 5
    assert sorted(found[-1]) == list(range(4, 2004)) != found[-1]


def test_a_shuffle_over_the_corpus_moves_tokens_between_utterances() -> None:
    corpus = flat([[0] * 10] * 50 + [[1] * 10] * 50)
    found = lists(reference.shuffled_over(*corpus, 0))
    assert all(0 < sum(row) < 10 for row in found[:20])


@pytest.mark.parametrize(
    "make",
    [
        lambda seed: reference.uniform(500, seed).ids,
        lambda seed: reference.paren(500, reference.zipf_mandelbrot(40), seed).ids,
        lambda seed: reference.shuffled_within(*flat([list(range(9))] * 40), seed).ids,
        lambda seed: reference.shuffled_over(*flat([list(range(9))] * 40), seed).ids,
    ],
)
def test_seeds_repeat_and_differ(make) -> None:  # type: ignore[no-untyped-def]
    assert np.array_equal(make(1), make(1))
    assert not np.array_equal(make(1), make(2))
    assert make(1).dtype == np.int32


def test_what_cannot_be_made_is_said() -> None:
    with pytest.raises(CorpusError, match="tokens of at least 1, not 0"):
        reference.uniform(0, 0)
    with pytest.raises(CorpusError, match="length of at least 1"):
        reference.paren(5, np.ones(3), 0, length=0)
    with pytest.raises(CorpusError, match="vocabulary of at least 1"):
        reference.zipf_mandelbrot(0)
    for alpha, beta in ((np.nan, 1), (1, -1), (np.inf, 1), (-1, 1)):
        with pytest.raises(CorpusError, match="no Zipf–Mandelbrot law"):
            reference.zipf_mandelbrot(5, alpha, beta)
    for wrong in ([], [0, 0], [1, -1], [np.nan, 1], [[1.0]]):
        with pytest.raises(CorpusError, match="cannot be drawn"):
            reference.paren(5, np.array(wrong, np.float64), 0)
    empty = np.empty(0, np.int32)
    for make in (lambda: reference.unigrams(empty), lambda: reference.shuffled_over(empty, np.zeros(1, np.int64), 0)):
        with pytest.raises(CorpusError, match="no tokens"):
            make()
    with pytest.raises(CorpusError, match="too large to be counted"):
        reference.unigrams(np.array([2**31 - 1], np.int32))


@settings(max_examples=20)
@given(st.integers(1, 400), st.integers(1, 30), st.integers(0, 3))
def test_any_size_is_a_corpus(tokens: int, vocabulary: int, seed: int) -> None:
    for found in (
        reference.uniform(tokens, seed, vocabulary, length=16),
        reference.paren(tokens, reference.zipf_mandelbrot(vocabulary), seed, length=16),
    ):
        corpus = EmergentCorpus(found.ids, found.starts)
        assert corpus.tokens == tokens
        assert found.ids.max() < vocabulary
