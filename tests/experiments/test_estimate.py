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
