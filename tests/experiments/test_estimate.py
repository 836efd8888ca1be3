"""Prices against what was measured: within a factor of two on an idle machine, and corrected by what really happened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from backend.experiments import estimate
from backend.models.entry import Checkpoint, Model
from backend.store.scores import ShardFile

WORKER = {"device": "CPU, 2 threads", "encoding_flops": 229e9, "scoring_flops": 279e9}
"""An idle machine, as its worker measured it; the seconds below were measured there."""


def model(layers: int, dims: int, parameters: int) -> Model:
    one = Checkpoint(source="folder", location="/m", label="m", fingerprint="f")
    return Model(name="m", architecture="bert", layers=layers, dims=dims, parameters=parameters, checkpoints=(one,))


def shard(seconds: float, **other: Any) -> ShardFile:
    about = {"model": "m", "device": "cpu", "languages": ["de", "en"], "sentences": 100, "tokens": 8000}
    return ShardFile(Path("s.parquet"), about | {"seconds": seconds + 1, "seconds_encoding": seconds} | other, 0.0)


@pytest.mark.parametrize(
    ("layers", "dims", "parameters", "shards", "languages", "sentences", "characters", "measured"),
    [
        (6, 384, 22_713_216, 1, 4, 500, 262_755, 16.8),  # all-MiniLM-L6-v2 on NTREX-128
        (3, 32, 46_592, 2, 4, 500, 262_755, 6.2),  # a tiny random XLM-R
        (3, 32, 46_592, 2, 6, 998, 701_700, 7.6),
        (6, 384, 22_713_216, 1, 6, 200, 140_631, 7.5),
    ],
)
def test_the_first_guess_is_within_a_factor_of_two(
    layers: int, dims: int, parameters: int, shards: int, languages: int, sentences: int, characters: int, measured: float
) -> None:
    found = estimate.abx(model(layers, dims, parameters), shards, languages, sentences, characters, WORKER, [])
    assert found is not None
    assert measured / 2 < found.seconds < measured * 2


def test_a_large_vocabulary_costs_reading_and_no_products() -> None:
    small, large = (estimate.abx(model(12, 768, size), 1, 2, 100, 20_000, WORKER, []) for size in (86_000_000, 278_000_000))
    assert small
    assert large
    assert 0 < large.seconds - small.seconds < 2


def test_what_happened_replaces_the_guess() -> None:
    def priced(*earlier: ShardFile) -> float:
        found = estimate.abx(model(3, 32, 46_592), 3, 2, 1000, 200_000, WORKER, earlier)
        assert found is not None
        return found.seconds

    guess = priced()
    assert priced(shard(20.0)) == pytest.approx(3 * 20.0 / 200 * 2000, rel=0.01)
    assert priced(shard(20.0), shard(500.0), shard(21.0)) == pytest.approx(3 * 21.0 / 200 * 2000, rel=0.01)  # one slow moment
    for no_measure in ({"tokens": 0}, {"device": "cuda:0"}, {"model": "other"}):
        assert priced(shard(20.0, **no_measure)) == guess
    partly_kept = shard(10.0, tokens=4000)  # one of the two languages was encoded
    assert priced(shard(20.0), partly_kept) == pytest.approx(priced(shard(20.0)))
    assert priced(partly_kept) >= priced(shard(20.0)) / 2


def test_sampling_is_dear_and_kept_vectors_are_cheap() -> None:
    base, measured_sampling, measured_exact = model(0, 768, 0), 551.0, 5.9  # one layer of 36 × 998 on four idle cores
    worker = WORKER | {"scoring_flops": 496e9}
    exact = estimate.abx(base, 1, 36, 998, 1, worker, [], kept=True)
    sampled = estimate.abx(base, 1, 36, 998, 1, worker, [], kept=True, n_triplets=100_000)
    assert exact
    assert sampled
    assert measured_exact / 2 < exact.seconds < measured_exact * 2
    assert measured_sampling / 2 < sampled.seconds < measured_sampling * 2


def test_no_price_before_a_worker_has_measured() -> None:
    assert estimate.abx(model(3, 32, 1), 1, 2, 10, 100, {"device": "starting"}, []) is None


NTREX = 1997, 875_488
"""Sentences, and the characters of all four languages."""
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
    worker = WORKER | {"encoding_flops": 371e9, "scoring_flops": 393e9}
    found = estimate.words(model(*shape), 1, 3, 4, *NTREX, 5000, 10, worker, [], kept=kept)
    assert found is not None
    assert measured / 2 < found.seconds < measured * 2


def test_scoring_words_grows_with_pairs_runs_layers_and_checkpoints() -> None:
    def priced(shards: int = 1, pairs: int = 1, n_pairs: int = 5000, runs: int = 10, layers: int = 6) -> float:
        found = estimate.words(
            model(layers, 384, 1), shards, pairs, 2, 20_000, 1, n_pairs, runs, WORKER | {"scoring_flops": 393e9}, [], kept=True
        )
        assert found is not None
        return found.seconds

    measured = 0.39  # one layer, 5,000 pairs, both directions
    assert priced(runs=10) - priced(runs=9) == pytest.approx(7 * measured, rel=0.3)
    assert priced(n_pairs=2000) - priced(n_pairs=2000, runs=9) == pytest.approx(7 * 0.085, rel=0.3)
    assert priced(pairs=3) == pytest.approx(3 * priced(), rel=0.05)
    assert priced(shards=2) == pytest.approx(2 * priced(), rel=0.05)
    assert priced(layers=13) == pytest.approx(2 * priced(), rel=0.05)


def test_where_all_word_pairs_are_taken_there_is_one_run() -> None:
    few = [estimate.words(model(6, 384, 1), 1, 1, 2, 100, 1, 5000, runs, WORKER, [], kept=True) for runs in (1, 10)]
    assert few[0] == few[1]


def test_masked_words_are_encoded_one_by_one_and_never_kept() -> None:
    plain, masked, masked_kept = (
        estimate.words(model(*MINILM), 1, 3, 4, *NTREX, 5000, 10, WORKER, [], **how)
        for how in ({}, {"masked": True}, {"masked": True, "kept": True})
    )
    assert plain
    assert masked
    assert masked == masked_kept
    assert 2 < masked.seconds / plain.seconds < 4  # three times as many sentences: 2 × 3 × 2 a sentence for 4


def test_sentences_on_news_are_within_a_factor_of_two() -> None:
    worker, measured = WORKER | {"encoding_flops": 371e9, "scoring_flops": 393e9}, 17.3  # six pairs, kept vectors
    kept = estimate.sentences(model(*MINILM), 1, 4, *NTREX, worker, [], kept=True)
    assert kept
    assert measured / 2 < kept.seconds < measured * 2
    encoded = estimate.sentences(model(*MINILM), 1, 4, *NTREX, worker, [])
    assert encoded
    assert 38.2 / 2 < encoded.seconds - kept.seconds < 38.2 * 2


def test_similarity_of_languages_is_cheaper_by_the_first_tokens() -> None:
    both, means = (
        estimate.sentences(model(*MINILM), 1, 4, *NTREX, WORKER, [], kept=True, first=first) for first in (True, False)
    )
    assert both
    assert means
    assert 3 < both.seconds / means.seconds < 7


def test_alignment_s_own_files_tell_the_pace() -> None:
    own = ShardFile(Path("s"), {"model": "m", "device": "cpu", "texts": 200, "tokens": 8000, "seconds_encoding": 20.0}, 0.0)
    abx = estimate.abx(model(3, 32, 46_592), 3, 2, 1000, 200_000, WORKER, [own])
    assert abx
    assert abx.seconds == pytest.approx(3 * 20.0 / 200 * 2000, rel=0.01)
    without = {key: value for key, value in own.about.items() if key != "texts"}
    assert estimate.abx(model(3, 32, 46_592), 3, 2, 1000, 200_000, WORKER, [ShardFile(own.path, without, 0.0)]) is not None


def test_no_price_of_alignment_before_a_worker_has_measured() -> None:
    starting = {"device": "starting"}
    assert estimate.words(model(3, 32, 1), 1, 1, 2, 10, 100, 5000, 10, starting, []) is None
    assert estimate.sentences(model(3, 32, 1), 1, 2, 10, 100, starting, []) is None
