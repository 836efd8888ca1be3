"""Masks, contrasts, schedules and splits against plain references."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from isogloss.backend.corpora.parallel.corpus import SCHEMA, ParallelCorpus
from isogloss.backend.errors import CorpusError
from isogloss.backend.training.encoder.contrast import mean_pooled, translation_contrast
from isogloss.backend.training.encoder.masking import IGNORED, mask
from isogloss.backend.training.encoder.options import PretrainOptions, default_checkpoints
from isogloss.backend.training.encoder.schedule import learning_rate_factor, randomness, tasks_of
from isogloss.backend.training.encoder.text import Tokens, split


def corpus(texts: dict[str, list[str | None]]) -> ParallelCorpus:
    rows = [
        {"sentence_id": f"s{k}", "language": language, "text": text, "document_id": None}
        for language in sorted(texts)
        for k, text in enumerate(texts[language])
        if text is not None
    ]
    return ParallelCorpus(pa.Table.from_pylist(rows, schema=SCHEMA))


# masking


def test_mask_shares() -> None:
    random = np.random.default_rng(1)
    tokens = torch.from_numpy(random.integers(4, 99, (200, 100)))
    maskable = torch.ones_like(tokens, dtype=torch.bool)
    maskable[:, 0] = False
    hidden, labels = mask(tokens, maskable, share=0.15, mask_id=99, ordinary=range(4, 99), random=random)
    chosen = labels != IGNORED
    assert not chosen[:, 0].any()
    assert torch.equal(labels[chosen], tokens[chosen])
    assert torch.equal(hidden[~chosen], tokens[~chosen])
    assert chosen[:, 1:].float().mean().item() == pytest.approx(0.15, abs=0.01)
    assert (hidden[chosen] == 99).float().mean().item() == pytest.approx(0.8, abs=0.03)
    other = (hidden[chosen] != 99) & (hidden[chosen] != tokens[chosen])
    assert other.float().mean().item() == pytest.approx(0.1 * 94 / 95, abs=0.02)
    assert hidden.min() >= 4


def test_mask_never_leaves_a_batch_without_a_target() -> None:
    tokens = torch.tensor([[0, 7, 2, 1]])
    maskable = torch.tensor([[False, True, False, False]])
    for seed in range(50):
        _, labels = mask(tokens, maskable, share=0.01, mask_id=9, ordinary=range(4, 9), random=np.random.default_rng(seed))
        assert labels.tolist() == [[IGNORED, 7, IGNORED, IGNORED]]


# the contrast


def test_contrast_is_infonce_in_both_directions() -> None:
    generator = torch.Generator().manual_seed(3)
    one, other = torch.randn(5, 7, generator=generator), torch.randn(5, 7, generator=generator)

    def cosine(a: torch.Tensor, b: torch.Tensor) -> float:
        return float(a @ b / (a.norm() * b.norm()))

    def direction(queries: torch.Tensor, keys: torch.Tensor) -> float:
        total = 0.0
        for k, query in enumerate(queries):
            scores = [math.exp(cosine(query, key) / 0.05) for key in keys]
            total -= math.log(scores[k] / sum(scores))
        return total / len(queries)

    expected = (direction(one, other) + direction(other, one)) / 2
    assert translation_contrast(one, other, 0.05).item() == pytest.approx(expected, rel=1e-4)


def test_contrast_of_equal_vectors_is_chance() -> None:
    assert translation_contrast(torch.ones(8, 3), torch.ones(8, 3), 0.05).item() == pytest.approx(math.log(8), rel=1e-5)


def test_mean_pooled_ignores_what_is_no_word() -> None:
    states = torch.arange(24.0).reshape(2, 4, 3)
    words = torch.tensor([[False, True, True, False], [False, False, False, False]])
    assert mean_pooled(states, words).tolist() == [states[0, 1:3].mean(0).tolist(), [0.0, 0.0, 0.0]]


# schedules


def test_learning_rate_rises_then_falls_and_never_stops() -> None:
    factors = [learning_rate_factor(step, 100, 10) for step in range(1, 101)]
    assert factors[9] == 1.0
    assert factors[0] == pytest.approx(0.1)
    assert factors[:10] == sorted(factors[:10])
    assert factors[9:] == sorted(factors[9:], reverse=True)
    assert len(set(factors[9:])) == 91
    assert factors[-1] == pytest.approx(1 / 91)


def test_learning_rate_without_warm_up() -> None:
    assert learning_rate_factor(1, 10, 0) == pytest.approx(10 / 11)
    assert learning_rate_factor(10, 10, 10) == 1.0
    assert learning_rate_factor(1, 1, 1) == 1.0


def test_tasks_alternate() -> None:
    assert tasks_of("mlm+contrast") == ("mlm", "contrast")
    assert tasks_of("mlm") == ("mlm",)


def test_randomness_is_of_seed_and_step() -> None:
    draws = {(seed, step): randomness(seed, step).integers(2**60) for seed in range(5) for step in range(20)}
    assert len(set(draws.values())) == 100
    assert randomness(3, 7).integers(2**60) == draws[3, 7]


@given(st.integers(1, 100_000))
def test_default_checkpoints_are_dense_early(steps: int) -> None:
    kept = default_checkpoints(steps)
    gaps = np.diff(kept[:-1])
    assert kept[0] == 0
    assert kept[-1] == steps
    assert list(kept) == sorted(set(kept))
    assert (np.diff(gaps) >= 0).all()


def test_default_checkpoints_of_the_demo() -> None:
    assert default_checkpoints(2000) == (0, 10, 30, 100, 300, 600, 1000, 2000)


# options


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"dims": 100, "heads": 8}, "multiple of heads"),
        ({"objective": "mlm+contrast", "layers": 2}, "beyond the last layer"),
        ({"checkpoints": (0, 5000)}, "between 0 and 2000"),
        ({"warmup": 3000}, "must not exceed steps"),
        ({"learn_rate": 1}, "learn_rate"),
    ],
)
def test_options_say_what_is_wrong(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        PretrainOptions.model_validate(wrong)


def test_few_steps_need_no_other_warm_up() -> None:
    assert PretrainOptions(steps=5).kept() == (0, 5)


# splits and batches


def test_held_out_sentences_are_in_no_language_and_in_no_other_row() -> None:
    texts: dict[str, list[str | None]] = {
        "de": [f"Satz {k}" for k in range(10)],
        "en": [f"sentence {k}" for k in range(9)] + [None],
    }
    texts["en"][2] = "sentence 8"  # repeats a text that will be held out
    data = split(corpus(texts), PretrainOptions(held_out=2))
    assert data.held_out == ("s7", "s8")  # s9 is missing in one language
    assert not set(data.sentence_ids) & {"s7", "s8"}
    assert not set(data.texts) & {"Satz 7", "Satz 8", "sentence 7", "sentence 8"}
    assert len(data.texts) == 7 + 1 + 7 - 1
    assert data.languages == ("de", "en")


def test_random_held_out_depends_on_the_seed_alone() -> None:
    texts: dict[str, list[str | None]] = {"en": [f"sentence {k}" for k in range(50)]}
    drawn = [split(corpus(texts), PretrainOptions(held_out=10, held_out_from="random", seed=s)).held_out for s in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert len(set(drawn[0])) == 10


def test_split_needs_sentences_and_known_languages() -> None:
    small = corpus({"en": ["a", "b", "c"]})
    with pytest.raises(CorpusError, match="fewer than two"):
        split(small, PretrainOptions(held_out=2))
    with pytest.raises(CorpusError, match="no language 'xx'"):
        split(small, PretrainOptions(held_out=0, languages=("xx",)))
    assert split(small, PretrainOptions(held_out=0)).held_out == ()


def test_pairs_are_translations() -> None:
    ids = ["a", "b", "c", "a", "b", "a"]
    tokens = Tokens.of(ids, [[k] * (k + 1) for k in range(6)], padding=9)
    assert tokens.translations == ((0, 3, 5), (1, 4))
    for seed in range(20):
        one, other = tokens.draw_pairs(5, np.random.default_rng(seed))
        assert sorted(ids[row] for row in one) == ["a", "b"]
        assert [ids[row] for row in one] == [ids[row] for row in other]
        assert not set(one) & set(other)
    assert tokens.pad([0, 2]).tolist() == [[0, 9, 9], [2, 2, 2]]
