"""Protocols beside the paper's: a word as its own neighbour, as the code of table IV has it, and Euclidean distances."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.backend.metrics.retrieval.accuracy import accuracies, centre, weak_accuracy
from isogloss.backend.metrics.retrieval.options import Task
from isogloss.backend.metrics.retrieval.ranks import retrieve
from tests.metrics.retrieval.test_metrics_retrieval import WHOLE, exact_cosine, nearest_mean, whole_pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

Vectors = list["Sequence[int]"]


def self_ranks(u: Vectors, v: Vectors, k: int) -> list[int]:
    """Rank of each translation among the words of u, in fractions: every u_j is one of its own k nearest in u."""
    n = len(u)
    of_u = [nearest_mean([exact_cosine(u[j], each) for each in u], k) for j in range(n)]
    of_v = [nearest_mean([exact_cosine(v[j], each) for each in u], k) for j in range(n)]
    right = [2 * exact_cosine(u[i], v[i]) - of_v[i] for i in range(n)]
    return [1 + sum(2 * exact_cosine(u[i], u[j]) - of_u[j] >= right[i] for j in range(n) if j != i) for i in range(n)]


def distance_ranks(u: Vectors, v: Vectors, task: Task) -> list[int]:
    """Rank of each translation by squared distances, which are whole numbers."""
    sides = {"weak": [v], "strong": [u], "strong_released": [v, u]}[task]

    def apart(x: Sequence[int], y: Sequence[int]) -> int:
        return sum((a - b) ** 2 for a, b in zip(x, y, strict=True))

    return [
        1 + sum(apart(u[i], side[j]) <= apart(u[i], v[i]) for side in sides for j in range(len(u)) if j != i)
        for i in range(len(u))
    ]


def share(ranks: Sequence[int]) -> float:
    return ranks.count(1) / len(ranks)


@settings(max_examples=40)
@given(pairs=whole_pairs(), k=st.integers(1, 8))
def test_a_word_as_its_own_neighbour_equals_a_double_loop_in_fractions(pairs: tuple[Vectors, Vectors], k: int) -> None:
    u, v = (torch.tensor(side, dtype=torch.float32) for side in pairs)
    ranks = self_ranks(*pairs, k)
    assert accuracies(u, v, k, self_neighbour=True).strong == share(ranks)
    assert retrieve(u, v, k, "strong_self").rank.tolist() == ranks


def test_a_word_as_its_own_neighbour_is_settled_alike_by_every_way(way: str) -> None:
    draw = np.random.default_rng(5)
    for k in (1, 2, 10):
        u = [WHOLE[index] for index in draw.integers(0, len(WHOLE), 23)]
        v = [x if draw.random() < 0.6 else WHOLE[draw.integers(0, len(WHOLE))] for x in u]
        found = accuracies(torch.tensor(u).double(), torch.tensor(v).half(), k, self_neighbour=True)
        assert found.strong == share(self_ranks(u, v, k))


def one_pool(u: NDArray[np.float64], v: NDArray[np.float64], k: int) -> float:
    """The search that made table IV, in words of our own: row i of one square matrix is query i against the words of its own
    language with its translation in its own place; half of each candidate's mean cosine to its k nearest queries, itself
    among them, is taken off; the first greatest of the row is what is retrieved.
    """
    u, v = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in (u, v))

    def crowding(candidates: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.sort(candidates @ u.T, axis=1)[:, -k:].mean(1)

    scores = u @ u.T - crowding(u) / 2
    place = np.arange(len(u))
    scores[place, place] = (u * v).sum(1) - crowding(v) / 2
    return float((scores.argmax(1) == place).mean())


@pytest.mark.parametrize("spread", [0.5, 1.0, 2.0])
def test_a_word_as_its_own_neighbour_is_the_one_pool_of_table_iv(spread: float) -> None:
    draw = np.random.default_rng(2)
    meaning = draw.normal(size=(300, 32)) + draw.normal(size=32)
    u, v = (meaning + spread * draw.normal(size=meaning.shape) + 0.3 * draw.normal(size=32) for _ in range(2))
    given_ = torch.from_numpy(u), torch.from_numpy(v)
    found = accuracies(*given_, self_neighbour=True).strong
    assert found == one_pool(u, v, 10)
    assert 0 < accuracies(*given_).strong < found <= 1  # the cosine of 1 with itself makes a hub of every rival


def test_neither_weak_nor_cosine_asks_who_is_a_neighbour() -> None:
    u, v = torch.randn(2, 60, 8, generator=torch.Generator().manual_seed(1))
    assert accuracies(u, v, self_neighbour=True).weak == accuracies(u, v).weak
    assert accuracies(u, v, similarity="cosine", self_neighbour=True) == accuracies(u, v, similarity="cosine")
    assert accuracies(u, v, similarity="l2", self_neighbour=True) == accuracies(u, v, similarity="l2")


@settings(max_examples=40)
@given(pairs=whole_pairs())
def test_distances_equal_a_double_loop_in_whole_numbers(pairs: tuple[Vectors, Vectors]) -> None:
    u, v = (torch.tensor(side, dtype=torch.float32) for side in pairs)
    found = accuracies(u, v, similarity="l2")
    for task, value in (("weak", found.weak), ("strong", found.strong), ("strong_released", found.strong_released)):
        ranks = distance_ranks(*pairs, task)
        assert value == share(ranks)
        table = retrieve(u, v, task=task, similarity="l2")
        assert table.rank.tolist() == ranks
        right = [-(sum((Fraction(a) - b) ** 2 for a, b in zip(x, y, strict=True)) ** 0.5) for x, y in zip(*pairs, strict=True)]
        assert table.right_similarity.tolist() == pytest.approx(right)
        assert (table.similarity[table.rank > 1] >= table.right_similarity[table.rank > 1] - 1e-12).all()


def test_distances_are_settled_alike_by_every_way(way: str) -> None:
    draw = np.random.default_rng(9)
    u = [WHOLE[index] for index in draw.integers(0, len(WHOLE), 29)]
    v = [x if draw.random() < 0.6 else WHOLE[draw.integers(0, len(WHOLE))] for x in u]
    found = accuracies(torch.tensor(u).double(), torch.tensor(v).half(), similarity="l2")
    assert found.weak == share(distance_ranks(u, v, "weak"))
    assert found.strong == share(distance_ranks(u, v, "strong"))
    assert found.strong_released == share(distance_ranks(u, v, "strong_released"))


def test_distances_are_those_of_cdist_in_a_narrow_cone(way: str) -> None:
    draw = torch.Generator().manual_seed(3)
    meaning = torch.randn(80, 48, generator=draw, dtype=torch.float64)
    u, v = (1e-3 * (meaning + 1.2 * torch.randn(80, 48, generator=draw)) + 7 for _ in range(2))
    nearest = torch.cdist(u, v, compute_mode="donot_use_mm_for_euclid_dist").argmin(1)
    expected = float((nearest == torch.arange(80)).double().mean())
    assert 0 < weak_accuracy(u, v, similarity="l2") == expected < 1


def test_length_counts_for_distances_alone() -> None:
    """Unit vectors rank alike by cosine and distance; a long vector in the right direction is far away."""
    u = torch.nn.functional.normalize(torch.randn(40, 8, generator=torch.Generator().manual_seed(4)), dim=1)
    v = torch.nn.functional.normalize(u + 0.4 * torch.randn(40, 8, generator=torch.Generator().manual_seed(5)), dim=1)
    assert accuracies(u, v, similarity="l2") == accuracies(u, v, similarity="cosine")
    longer = v * torch.linspace(1, 30, 40)[:, None]
    assert accuracies(u, longer, similarity="cosine") == accuracies(u, v, similarity="cosine")
    assert accuracies(u, longer, similarity="l2").weak < accuracies(u, v, similarity="l2").weak


@pytest.mark.parametrize("measure", [accuracies, weak_accuracy, retrieve])
def test_a_vector_that_is_not_finite_is_named(measure: Callable[..., object]) -> None:
    u, v = torch.randn(5, 4), torch.randn(5, 4)
    u[3, 1] = float("inf")
    with pytest.raises(ValueError, match="Vector 3 of u"):
        measure(u, v, similarity="l2")


def test_equal_vectors_are_not_aligned_and_zeros_do_no_harm() -> None:
    for vector in (torch.randn(1, 32, generator=torch.Generator().manual_seed(6)), torch.zeros(1, 32)):
        u = vector.repeat(50, 1)
        assert accuracies(u, u, similarity="l2").weak == 0
        assert accuracies(u, u, self_neighbour=True).strong == 0
        assert accuracies(centre(u), centre(u), similarity="l2").strong == 0
