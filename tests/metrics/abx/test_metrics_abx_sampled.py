"""The sampled protocol, the controls and retrieval's intervals."""

from __future__ import annotations

import pytest
import torch

from isogloss.backend.metrics.abx.exact import discrimination
from isogloss.backend.metrics.abx.sampled import controls, sampled
from isogloss.backend.metrics.blocks import Stopped
from isogloss.backend.metrics.intervals import wilson_interval

OFF = ~torch.eye(4, dtype=torch.bool)


@pytest.fixture
def vectors() -> torch.Tensor:
    """Languages apart, translations near: both scores well above chance and below 1."""
    generator = torch.Generator().manual_seed(0)
    languages, meanings = torch.randn(4, 1, 16, generator=generator), torch.randn(1, 200, 16, generator=generator)
    return languages + meanings + torch.randn(4, 200, 16, generator=generator)


def test_sampling_comes_close_to_the_exact_score(vectors: torch.Tensor) -> None:
    exact, estimate = discrimination(vectors), sampled(vectors, n_triplets=20_000, seed=1)
    for task in ("language", "meaning"):
        error = (getattr(estimate, task) - getattr(exact, task))[OFF] / getattr(estimate, f"{task}_se")[OFF]
        assert error.abs().max() < 4.5
        directed = (getattr(estimate, f"{task}_directed") - getattr(exact, f"{task}_directed"))[OFF]
        assert directed.abs().max() < 0.03
    assert estimate.retrieval is None


def test_its_standard_error_is_binomial(vectors: torch.Tensor) -> None:
    estimate = sampled(vectors, n_triplets=10_000, seed=1)
    share = estimate.language_directed[0, 1].item()
    assert estimate.language_directed_se[0, 1].item() == pytest.approx((share * (1 - share) / 5_000) ** 0.5, rel=1e-6)
    both = (estimate.language_directed_se[0, 1] ** 2 + estimate.language_directed_se[1, 0] ** 2).sqrt() / 2
    assert estimate.language_se[0, 1].item() == pytest.approx(both.item())


def test_a_seed_draws_the_same_triplets_again(vectors: torch.Tensor) -> None:
    first, again, other = (sampled(vectors, n_triplets=1_000, seed=seed) for seed in (1, 1, 2))
    assert torch.equal(first.language[OFF], again.language[OFF])
    assert not torch.equal(first.language[OFF], other.language[OFF])


def test_ties_are_halves() -> None:
    estimate = sampled(torch.ones(2, 5, 3), n_triplets=101)
    assert estimate.language[0, 1] == 0.5
    assert estimate.meaning_se[0, 1] == 0


def test_sampling_from_one_sentence_or_no_triplets() -> None:
    assert sampled(torch.randn(3, 1, 4), n_triplets=10).language.isnan().all()
    with pytest.raises(ValueError, match="at least one triplet in each direction"):
        sampled(torch.randn(2, 3, 4), n_triplets=1)
    with pytest.raises(Stopped):
        sampled(torch.randn(2, 3, 4), should_stop=lambda: True)


def test_controls_are_at_chance_where_the_scores_are_not(vectors: torch.Tensor) -> None:
    scores = discrimination(vectors)
    assert scores.language[OFF].min() > 0.6
    assert scores.meaning[OFF].min() > 0.8
    control = controls(vectors, seed=0)
    for value, error in ((control.language, control.language_se), (control.meaning, control.meaning_se)):
        assert ((value[OFF] - 0.5).abs() < 4 * error[OFF]).all()
    assert control.retrieval is not None
    assert control.retrieval[OFF].max() < 0.05


def test_controls_average_to_one_half_over_seeds() -> None:
    few = torch.randn(2, 6, 3, generator=torch.Generator().manual_seed(9)) + torch.tensor([[[0.0]], [[2.0]]])
    seeds = [controls(few, seed=seed) for seed in range(300)]
    for task in ("language", "meaning"):
        values = torch.stack([getattr(control, task)[0, 1] for control in seeds])
        assert (values.mean() - 0.5).abs() < 4 * values.std() / len(seeds) ** 0.5


def test_retrieval_brings_both_directions_and_their_mean(vectors: torch.Tensor) -> None:
    unit = torch.nn.functional.normalize(vectors.double(), dim=-1)
    scores = discrimination(vectors)
    directed, symmetric = scores.retrieval_directed, scores.retrieval
    assert directed is not None
    assert symmetric is not None
    for i, j in ((0, 1), (1, 0), (2, 3)):
        nearest = (unit[i] @ unit[j].T).argmax(1)
        assert directed[i, j].item() == pytest.approx((nearest == torch.arange(200)).double().mean().item())
    torch.testing.assert_close(symmetric, (directed + directed.T) / 2, equal_nan=True)
    for value in (directed, symmetric):
        low, high = map(torch.from_numpy, wilson_interval(value.numpy(), 200))
        assert (low[OFF] < value[OFF]).all()
        assert (value[OFF] < high[OFF]).all()
        assert low.diagonal().isnan().all()
