"""Measures of one language against plain loops, with their jackknife; and the probe that names the language."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
import torch
from scipy import stats

from isogloss.backend.metrics.geometry.language_probe import FOLDS, RIDGE, language_accuracy
from isogloss.backend.metrics.geometry.layer import geometry
from tests.metrics.geometry.test_pairs_against_loops import K, cosine, nearest_loop, vectors_of


def anisotropy_loop(u: np.ndarray) -> float:
    return float(np.mean([cosine(u[p], u[q]) for p, q in permutations(range(len(u)), 2)]))


def hubness_loop(u: np.ndarray) -> float:
    return float(stats.skew(np.bincount(np.concatenate(nearest_loop(u, K)), minlength=len(u))))


def entropy_loop(u: np.ndarray) -> float:
    values = np.linalg.eigvalsh(np.cov(u.T))
    shares = values[values > 1e-12] / values.sum()
    return float(-(shares * np.log(shares)).sum())


def rank_loop(u: np.ndarray) -> float:
    values = np.linalg.svd(u - u.mean(0), compute_uv=False)
    shares = values[values > 1e-9] / values.sum()
    return float(np.exp(-(shares * np.log(shares)).sum()))


LOOPS = {"anisotropy": anisotropy_loop, "hubness": hubness_loop, "spectrum_entropy": entropy_loop, "effective_rank": rank_loop}


@pytest.mark.parametrize(("n", "dims"), [(14, 6), (9, 20)])
@pytest.mark.parametrize("name", LOOPS)
def test_every_value_is_that_of_a_loop(name: str, n: int, dims: int) -> None:
    vectors = vectors_of(7, 3, n, dims)
    found = geometry(torch.from_numpy(vectors), k=K).of_languages[name].value.tolist()
    assert found == pytest.approx([LOOPS[name](own) for own in vectors], abs=2e-6)


@pytest.mark.parametrize(
    ("name", "near"), [("anisotropy", 1e-6), ("hubness", 1e-6), ("spectrum_entropy", 0.15), ("effective_rank", 0.15)]
)
def test_errors_are_those_of_leaving_each_sentence_out(name: str, near: float) -> None:
    """Exact of cosines and hubs, to first order of the spectrum."""
    n = 200 if near > 0.1 else 20
    vectors = np.random.default_rng(8).standard_normal((2, n, 5)) * np.arange(1, 6)
    found = geometry(torch.from_numpy(vectors), k=K).of_languages[name].error.tolist()
    for own, error in zip(vectors, found, strict=True):
        without = np.array([LOOPS[name](np.delete(own, k, 0)) for k in range(len(own))])
        assert error == pytest.approx(np.sqrt((len(own) - 1) / len(own) * np.square(without - without.mean()).sum()), rel=near)


def test_vectors_all_alike_fill_no_space() -> None:
    found = geometry(torch.ones(2, 12, 5), k=K).of_languages
    assert found["anisotropy"].value.tolist() == pytest.approx([1, 1])
    assert all(found[name].value.isnan().all() for name in ("spectrum_entropy", "effective_rank"))
    assert found["language_probe"].value.tolist() == pytest.approx([0.5, 0.5])  # both languages tie for every sentence


def test_a_hub_makes_occurrences_skewed() -> None:
    draw = np.random.default_rng(0).standard_normal((40, 30))
    hub = np.concatenate([draw, draw.mean(0, keepdims=True)])
    even, skewed = (
        geometry(torch.from_numpy(np.stack([rows] * 2)), k=K).of_languages["hubness"].value[0] for rows in (draw, hub)
    )
    assert skewed > even + 0.5


def probe_loop(vectors: np.ndarray) -> list[float]:
    """Fit W and b by the normal equations for each fold, and count whose languages are named."""
    languages, n, dims = vectors.shape
    scale = np.sqrt(np.square(vectors - vectors.mean((0, 1))).mean())
    right = np.zeros(languages)
    for fold in range(min(FOLDS, n)):
        test = [p for p in range(n) if p % FOLDS == fold]
        rows = np.delete(vectors, test, 1).reshape(-1, dims) / scale
        labels = np.repeat(np.eye(languages), n - len(test), 0)
        away, labels = rows - rows.mean(0), labels - 1 / languages
        square = away.T @ away
        weights = np.linalg.solve(square + RIDGE * np.trace(square) / dims * np.eye(dims), away.T @ labels)
        for language in range(languages):
            for p in test:
                right[language] += np.argmax((vectors[language, p] / scale - rows.mean(0)) @ weights) == language
    return (right / n).tolist()


def test_the_probe_is_ridge_regression_on_the_other_folds() -> None:
    vectors = vectors_of(6, 4, 33, 8)
    found = language_accuracy(torch.from_numpy(vectors)).tolist()
    assert found == pytest.approx(probe_loop(vectors))
    assert 0.3 < np.mean(found) < 1
    assert language_accuracy(torch.from_numpy(vectors).float()).tolist() == pytest.approx(found, abs=0.05)


def test_languages_that_are_noise_are_not_named_and_shifted_ones_are() -> None:
    noise = np.random.default_rng(1).standard_normal((4, 200, 10))
    assert language_accuracy(torch.from_numpy(noise)).mean() == pytest.approx(0.25, abs=0.06)
    shifted = noise + 6 * np.eye(4, 10)[:, None]
    assert language_accuracy(torch.from_numpy(shifted)).min() > 0.95
