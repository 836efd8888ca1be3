"""Prices of ABX against what was measured: within a factor of two on an idle machine, and corrected by what really happened."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from backend.corpora.parallel import library as corpora
from backend.experiments.abx import price
from backend.experiments.abx.confusions import ConfusionsSpec
from backend.experiments.abx.price import discrimination
from backend.experiments.abx.shard import AbxSpec
from backend.models.library import library as models
from backend.settings import DEMO
from backend.store import scores
from backend.store.scores import ShardFile
from tests.experiments.devices import IDLE, encoding, gpu, model


def shard(seconds: float, **other: Any) -> ShardFile:
    provenance = {"model": "m", "device": "cpu", "languages": ["de", "en"], "sentences": 100, "tokens": 8000}
    return ShardFile(Path("s.parquet"), provenance | {"seconds": seconds + 1, "seconds_encoding": seconds} | other, 0.0)


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
    found = discrimination(encoding(model(layers, dims, parameters), languages, sentences, characters), shards)
    assert found is not None
    assert measured / 2 < found.seconds < measured * 2


def test_a_large_vocabulary_costs_reading_and_no_products() -> None:
    small, large = (discrimination(encoding(model(12, 768, size), 2, 100, 20_000), 1) for size in (86_000_000, 278_000_000))
    assert small
    assert large
    assert 0 < large.seconds - small.seconds < 2


def test_what_happened_replaces_the_guess() -> None:
    def priced(*earlier: ShardFile) -> float:
        found = discrimination(encoding(model(3, 32, 46_592), 2, 1000, 200_000, IDLE, earlier), 3)
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
    texts = encoding(base, 36, 998, 1, replace(IDLE, scoring_flops=496e9))
    exact = discrimination(texts, 1, kept=True)
    sampled = discrimination(texts, 1, kept=True, n_triplets=100_000)
    assert exact
    assert sampled
    assert measured_exact / 2 < exact.seconds < measured_exact * 2
    assert measured_sampling / 2 < sampled.seconds < measured_sampling * 2


def test_what_one_card_took_says_nothing_of_another() -> None:
    def priced(device: str) -> float:
        return discrimination(
            encoding(model(3, 32, 46_592), 2, 1000, 200_000, gpu(4e14), [shard(20.0, device=device)]), 3
        ).seconds

    guess = priced("cpu")
    assert priced("cuda (NVIDIA H100)") == pytest.approx(3 * 20.0 / 200 * 2000, rel=0.01)
    for other in ("cuda (NVIDIA H100 PCIe)", "cuda (NVIDIA L4)", "cuda:0"):
        assert priced(other) == guess


def test_triplets_are_priced_in_the_precision_that_they_are_compared_in() -> None:
    """A card with a sixty-fourth of float32's speed in float64 takes 32 times as long as one with half of it."""
    base, (half, little) = model(12, 768, 0), (replace(gpu(4e14), exact_flops=50e12 / share) for share in (2, 64))
    exact = [
        discrimination(encoding(base, 36, 998, 1, speed), 100, kept=True).seconds - 30 for speed in (gpu(4e14), half, little)
    ]
    assert exact[0] == exact[1]
    assert exact[2] == pytest.approx(32 * exact[1])
    sampled = [discrimination(encoding(base, 36, 998, 1, speed), 1, kept=True, n_triplets=9) for speed in (half, little)]
    assert sampled[0] == sampled[1]


def test_alignment_s_own_files_tell_the_pace() -> None:
    own = ShardFile(Path("s"), {"model": "m", "device": "cpu", "texts": 200, "tokens": 8000, "seconds_encoding": 20.0}, 0.0)
    abx = discrimination(encoding(model(3, 32, 46_592), 2, 1000, 200_000, IDLE, [own]), 3)
    assert abx
    assert abx.seconds == pytest.approx(3 * 20.0 / 200 * 2000, rel=0.01)
    without = {key: value for key, value in own.provenance.items() if key != "texts"}
    earlier = [ShardFile(own.path, without, 0.0)]
    assert discrimination(encoding(model(3, 32, 46_592), 2, 1000, 200_000, IDLE, earlier), 3).seconds > 0


def spec(**changes: Any) -> AbxSpec:
    """Of the demo's first model and corpus."""
    (entry, *_), (first, *_) = corpora.entries([DEMO]), models.entries([DEMO])
    fields = {"model": first.name, "checkpoints": first.checkpoints, "corpus": entry.id, "languages": entry.tags[:3]}
    return AbxSpec.model_validate(fields | changes)


def test_no_price_before_a_worker_has_measured_or_of_what_is_not_kept() -> None:
    assert price.abx(spec(), IDLE, [DEMO]) is not None
    assert price.abx(spec(), None, [DEMO]) is None
    assert price.abx(spec(model="another"), IDLE, [DEMO]) is None
    assert price.abx(spec(corpus="0" * 24), IDLE, [DEMO]) is None


def test_a_spec_is_priced_by_what_is_kept() -> None:
    """Its corpus, its model, and the files of this experiment."""
    (entry, *_), (first, *_) = corpora.entries([DEMO]), models.entries([DEMO])
    sizes = {each.tag: each.characters for each in entry.languages}
    characters = sum(sizes[tag] for tag in entry.tags[:3])
    earlier = scores.shards([DEMO], "abx")
    for protocol, n_triplets in (("exact", None), ("sampled", 100_000)):
        texts = encoding(first, 3, entry.sentences, characters, IDLE, earlier)
        expected = discrimination(texts, len(first.checkpoints), n_triplets=n_triplets)
        assert price.abx(spec(protocol=protocol), IDLE, [DEMO]) == expected
    source, target = entry.tags[:2]
    pair = {"source": source, "target": target, "layer": 1, "languages": entry.tags}
    one = ConfusionsSpec(checkpoint=first.checkpoints[-1], corpus=entry.id, **pair)
    texts = encoding(first, 2, entry.sentences, sizes[source] + sizes[target], IDLE, earlier)
    assert price.confusions(one, IDLE, [DEMO]) == discrimination(texts, 1)  # the demo ships scores without vectors


def test_new_files_are_seen(tmp_path: Path) -> None:
    for folder in ("models", "corpora"):
        shutil.copytree(DEMO / folder, tmp_path / folder)
    guess = price.abx(spec(), IDLE, [tmp_path])
    assert guess is not None
    assert "measurement" in guess.basis
    provenance = spec().provenance(spec().checkpoints[0]) | {
        "model": spec().model,
        "device": "cpu",
        "sentences": 100,
        "tokens": 8000,
    }
    scores.write(tmp_path, "abx", "0" * 24, scores.SCORES.empty_table(), provenance | {"seconds_encoding": 9.0})
    found = price.abx(spec(), IDLE, [tmp_path])
    assert found is not None
    assert "last computations" in found.basis
