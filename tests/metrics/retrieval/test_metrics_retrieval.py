"""Retrieval accuracy against double loops, in fractions and in double precision, and what must hold whatever the vectors."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Literal

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.backend.metrics import blocks
from isogloss.backend.metrics.blocks import Stopped
from isogloss.backend.metrics.retrieval import search as retrieval_search
from isogloss.backend.metrics.retrieval.accuracy import Accuracies, accuracies, centre, weak_accuracy
from isogloss.backend.metrics.retrieval.options import Task
from isogloss.backend.metrics.retrieval.ranks import retrieve

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

Similarity = Literal["csls", "margin", "cosine"]
Number = Fraction | float

# Vectors whose length is a whole number, hence with rational cosines: nothing is rounded in the reference. Many are equal, or
# equally far from others, or zero.
WHOLE = [
    (0, 0, 0),
    (1, 0, 0),
    (0, 1, 0),
    (-1, 0, 0),
    (2, 0, 0),
    (3, 4, 0),
    (4, 3, 0),
    (0, 3, 4),
    (1, 2, 2),
    (2, 1, 2),
    (-2, 2, 1),
]


def exact_cosine(x: Sequence[int], y: Sequence[int]) -> Fraction:
    product = sum(a * b for a, b in zip(x, y, strict=True))
    lengths = math.isqrt(sum(a * a for a in x)) * math.isqrt(sum(b * b for b in y))
    return Fraction(product, lengths) if lengths else Fraction(0)


def nearest_mean(similarities: list[Number], k: int) -> Number:
    nearest = sorted(similarities, reverse=True)[:k]
    return sum(nearest) / len(nearest) if nearest else 0


class DoubleLoop:
    """Scores by definition, one pair at a time: `cosine(a, i, b, j)` with a and b either "u" or "v"."""

    def __init__(self, n: int, k: int, similarity: Similarity, cosine: Callable[[str, int, str, int], Number]) -> None:
        cosine = cache(cosine)
        self.n, self.cosine, self.similarity = n, cosine, similarity
        everyone = range(n)
        self.query = [nearest_mean([cosine("u", i, "v", j) for j in everyone], k) for i in everyone]
        self.crowding = {
            "v": [nearest_mean([cosine("v", j, "u", i) for i in everyone], k) for j in everyone],
            "u": [nearest_mean([cosine("u", j, "u", i) for i in everyone if i != j], k) for j in everyone],
        }

    def score(self, i: int, side: str, j: int) -> Number:
        if self.similarity == "cosine":
            return self.cosine("u", i, side, j)
        if self.similarity == "margin":
            return self.cosine("u", i, side, j) / max((self.query[i] + self.crowding[side][j]) / 2, Fraction(1, 1024))
        return 2 * self.cosine("u", i, side, j) - self.query[i] - self.crowding[side][j]

    def others(self, i: int, task: Task) -> list[tuple[str, int]]:
        sides = {"weak": "v", "strong": "u", "strong_released": "vu"}[task]
        return [(side, j) for side in sides for j in range(self.n) if j != i]

    def ranks(self, task: Task, ties: float = 0) -> list[int]:
        return [
            1 + sum(self.score(i, *other) >= self.score(i, "v", i) - ties for other in self.others(i, task))
            for i in range(self.n)
        ]

    def accuracy(self, task: Task, ties: float = 0) -> float:
        return self.ranks(task, ties).count(1) / self.n


def whole_loop(u: list[Sequence[int]], v: list[Sequence[int]], k: int, similarity: Similarity) -> DoubleLoop:
    sides = {"u": u, "v": v}
    return DoubleLoop(len(u), k, similarity, lambda a, i, b, j: exact_cosine(sides[a][i], sides[b][j]))


def float_loop(u: NDArray[np.float64], v: NDArray[np.float64], k: int, similarity: Similarity) -> DoubleLoop:
    units = {"u": u / np.linalg.norm(u, axis=1, keepdims=True), "v": v / np.linalg.norm(v, axis=1, keepdims=True)}
    return DoubleLoop(len(u), k, similarity, lambda a, i, b, j: math.fsum(units[a][i] * units[b][j]))


@st.composite
def whole_pairs(draw: st.DrawFn) -> tuple[list[Sequence[int]], list[Sequence[int]]]:
    n = draw(st.integers(2, 7))
    vectors = st.lists(st.sampled_from(WHOLE), min_size=n, max_size=n)
    u = draw(vectors)
    v = draw(st.one_of(vectors, st.just(u), st.permutations(u)))
    return u, v


def check_against(loop: DoubleLoop, u: torch.Tensor, v: torch.Tensor, k: int, similarity: Similarity, ties: float = 0) -> None:
    found = accuracies(u, v, k, similarity=similarity)
    assert found == Accuracies(*(loop.accuracy(task, ties) for task in ("weak", "strong", "strong_released")), loop.n)
    assert weak_accuracy(u, v, k, similarity=similarity) == found.weak


def check_ranks(loop: DoubleLoop, task: Task, u: torch.Tensor, v: torch.Tensor, k: int, similarity: Similarity) -> None:
    """Every column of the error table, by definition."""
    table = retrieve(u, v, k, task, similarity=similarity)
    assert table.rank.tolist() == loop.ranks(task)
    for i in range(loop.n):
        others = loop.others(i, task)
        best = max(loop.score(i, *other) for other in others)
        first = next(other for other in others if loop.score(i, *other) == best)
        side, j = ("v", i) if table.rank[i] == 1 else first
        assert (table.index[i].item(), table.same_language[i].item()) == (j, side == "u")
        assert table.similarity[i].item() == pytest.approx(float(loop.score(i, side, j)), abs=1e-12)
        assert table.cosine[i].item() == pytest.approx(float(loop.cosine("u", i, side, j)), abs=1e-12)
        assert table.right_similarity[i].item() == pytest.approx(float(loop.score(i, "v", i)), abs=1e-12)
        assert table.right_cosine[i].item() == pytest.approx(float(loop.cosine("u", i, "v", i)), abs=1e-12)


@pytest.mark.parametrize("similarity", ["csls", "margin", "cosine"])
@settings(max_examples=30)
@given(pairs=whole_pairs(), k=st.integers(1, 8))
def test_equals_a_double_loop_in_fractions(
    similarity: Similarity, pairs: tuple[list[Sequence[int]], list[Sequence[int]]], k: int
) -> None:
    u, v = (torch.tensor(side, dtype=torch.float32) for side in pairs)
    loop = whole_loop(*pairs, k, similarity)
    check_against(loop, u, v, k, similarity)
    for task in ("weak", "strong", "strong_released"):
        check_ranks(loop, task, u, v, k, similarity)


@pytest.mark.parametrize("similarity", ["csls", "margin", "cosine"])
def test_ties_are_settled_alike_by_every_way(way: str, similarity: Similarity) -> None:
    draw = np.random.default_rng(7)
    for k in (1, 2, 10):
        u = [WHOLE[index] for index in draw.integers(0, len(WHOLE), 23)]
        v = [x if draw.random() < 0.6 else WHOLE[draw.integers(0, len(WHOLE))] for x in u]
        check_against(whole_loop(u, v, k, similarity), torch.tensor(u).double(), torch.tensor(v).half(), k, similarity)


@cache
def cone(spread: float, similarity: Similarity) -> tuple[NDArray[np.float64], NDArray[np.float64], DoubleLoop]:
    """Two sides whose translations share most of their vector, and their scores by definition: the same for every way."""
    draw = np.random.default_rng(3)
    centre, meaning = draw.normal(size=48), draw.normal(size=(60, 48))
    u = centre + spread * (meaning + 1.1 * draw.normal(size=(60, 48)))
    v = centre + spread * (meaning + 1.1 * draw.normal(size=(60, 48)) + 0.2 * draw.normal(size=48))
    return u, v, float_loop(u, v, 5, similarity)


@pytest.mark.parametrize("similarity", ["csls", "margin", "cosine"])
@pytest.mark.parametrize("spread", [3.0, 1e-2, 1e-4])
def test_equals_a_double_loop_in_double_precision(way: str, similarity: Similarity, spread: float) -> None:
    """From wide to a cone so narrow that float32 sees equal cosines everywhere."""
    u, v, loop = cone(spread, similarity)
    assert 0 < loop.accuracy("strong_released") < loop.accuracy("weak") < 1  # the example shows something
    check_against(loop, torch.from_numpy(u), torch.from_numpy(v), 5, similarity)
    assert retrieve(torch.from_numpy(u), torch.from_numpy(v), 5, "strong", similarity=similarity).rank.tolist() == loop.ranks(
        "strong"
    )


def test_float32_alone_would_be_wrong_in_a_narrow_cone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the test above proves nothing. The cosines are 1 and 1 - 1e-10: in float32 all are 1, on any processor."""
    vectors = torch.cat([torch.ones(60, 1), 1e-5 * torch.eye(60)], dim=1)
    assert weak_accuracy(vectors, vectors) == 1
    monkeypatch.setattr(
        retrieval_search, "_settle", lambda pairs, queries, side, rivals: torch.zeros_like(queries, dtype=torch.bool)
    )
    assert weak_accuracy(vectors, vectors) == 0


def test_an_answer_without_rivals_wins() -> None:
    pairs = retrieval_search.prepare(torch.eye(3), torch.eye(3), 10)
    nothing = torch.empty(0, dtype=torch.int64)
    assert retrieval_search._settle(pairs, torch.tensor([0, 2]), "v", nothing).tolist() == [True, True]


def test_a_hub_costs_cosine_what_csls_gives_back() -> None:
    """v_0 is nearer to every query than their translations; CSLS takes off what it has in common with all."""
    u = torch.cat([torch.eye(6), torch.zeros(6, 6)], dim=1)
    v = torch.cat([torch.eye(6), 2.4 * torch.eye(6)], dim=1)
    v[0] = torch.cat([torch.ones(6), torch.zeros(6)])
    assert weak_accuracy(u, v, 3, similarity="cosine") == pytest.approx(1 / 6)
    assert weak_accuracy(u, v, 3) == 1.0


@pytest.mark.parametrize("similarity", ["csls", "margin", "cosine"])
def test_a_model_of_equal_vectors_is_not_aligned(similarity: Similarity) -> None:
    vector = torch.randn(1, 768, generator=torch.Generator().manual_seed(4))
    for u, v in ((vector, vector), (vector, -vector), (vector, torch.ones(1, 768)), (vector * 0, vector * 0)):
        u, v = u.repeat(300, 1), v.repeat(300, 1)
        assert accuracies(u, v, similarity=similarity) == Accuracies(0, 0, 0, 300)
        assert accuracies(centre(u), centre(v), similarity=similarity) == Accuracies(0, 0, 0, 300)
        assert set(retrieve(u, v, similarity=similarity).rank.tolist()) == {300}


def test_equal_vectors_tie_wherever_they_stand() -> None:
    """Rows of the same vector, anywhere in blocks of any size, are never nearer than one another; scaling changes nothing."""
    vectors = torch.randn(150, 768, generator=torch.Generator().manual_seed(5))
    u, v = vectors.repeat(2, 1), vectors.repeat(2, 1) * torch.tensor([[0.25], [4.0], [1024.0]]).repeat(100, 1)
    assert accuracies(u, v) == Accuracies(0, 0, 0, 300)
    v[150:] = torch.randn(150, 768)
    assert weak_accuracy(u, v) == 0.5  # no copy of v is left, but the second half of u has lost its translations


def test_the_other_direction_is_got_by_swapping() -> None:
    u = torch.tensor([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]])
    v = torch.tensor([[1.0, 0, 0], [1, 0.1, 0], [1, 0, 0.3]])
    assert accuracies(u, v, similarity="cosine") == Accuracies(1, 1, 1, 3)
    assert accuracies(v, u, similarity="cosine") == Accuracies(1 / 3, 1 / 3, 1 / 3, 3)


def test_the_two_pools_differ_as_defined() -> None:
    """For u_0 the translation is nearer than all of u, but another of v is nearer still: found by the paper's pool alone."""
    u = torch.tensor([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]])
    v = torch.tensor([[1.0, 0.5, 0], [1, 0.1, 0], [0, 0, 1]])
    found = accuracies(u, v, similarity="cosine")
    assert found.strong == 1.0
    assert found.strong_released == pytest.approx(1 / 3)


def test_strong_accuracy_sees_a_gap_between_languages() -> None:
    """Every translation is right, but any word of the same language is nearer: weakly, not strongly aligned."""
    draw = torch.Generator().manual_seed(6)
    meaning, language = torch.randn(40, 32, generator=draw), torch.zeros(32)
    language[0] = 30
    assert accuracies(meaning + language, meaning - language) == Accuracies(1.0, 0.0, 0.0, 40)
    assert accuracies(centre(meaning + language), centre(meaning - language)) == Accuracies(1.0, 1.0, 1.0, 40)


def test_one_pair_says_nothing() -> None:
    u, v = torch.randn(1, 4), torch.randn(1, 4)
    found = accuracies(u, v)
    assert found.n == 1
    for value in (found.weak, found.strong, found.strong_released, weak_accuracy(u, v)):
        assert math.isnan(value)
    for task in ("weak", "strong", "strong_released"):
        table = retrieve(u, v, task=task)
        assert (table.rank.item(), table.index.item(), table.same_language.item()) == (1, 0, False)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
@pytest.mark.parametrize("measure", [accuracies, weak_accuracy, retrieve])
@pytest.mark.parametrize("n", [1, 5])
def test_a_vector_that_is_not_finite_is_named(bad: float, measure: Callable[..., object], n: int) -> None:
    u, v = torch.randn(n, 4), torch.randn(n, 4)
    v[n - 1, 2] = bad
    with pytest.raises(ValueError, match=rf"Vector {n - 1} of v \(from 0\) is not finite"):
        measure(u, v)


@pytest.mark.parametrize("measure", [accuracies, weak_accuracy, retrieve])
def test_wrong_input_is_refused(measure: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match="a pair, but there are 3 and 4 rows"):
        measure(torch.randn(3, 2), torch.randn(4, 2))
    for u, v in (
        (torch.randn(3, 2), torch.randn(3, 5)),
        (torch.randn(3), torch.randn(3)),
        (torch.randn(0, 2), torch.randn(0, 2)),
        (torch.ones(3, 2, dtype=torch.int64), torch.ones(3, 2)),
    ):
        with pytest.raises(ValueError, match="two floating tensors"):
            measure(u, v)
    with pytest.raises(ValueError, match="at least 1, not 0"):
        measure(torch.randn(3, 2), torch.randn(3, 2), 0)


@pytest.mark.parametrize("measure", [accuracies, weak_accuracy, retrieve])
def test_stops_when_asked(measure: Callable[..., object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "CPU_ROWS", 1)
    asked: list[int] = []

    def third_time() -> bool:
        asked.append(1)
        return len(asked) == 3

    with pytest.raises(Stopped):
        measure(torch.randn(50, 4), torch.randn(50, 4), should_stop=third_time)
    assert len(asked) == 3


def test_lower_precision_of_the_process_changes_nothing() -> None:
    """Where float32 products are allowed to be bfloat16 ones, they are not used."""
    u = torch.randn(200, 64, generator=torch.Generator().manual_seed(8))
    v = u + torch.randn(200, 64, generator=torch.Generator().manual_seed(9))
    expected = accuracies(u, v)
    before = torch.backends.mkldnn.matmul.fp32_precision
    torch.backends.mkldnn.matmul.fp32_precision = "bf16"
    try:
        assert retrieval_search.prepare(u, v, 10).fast["u"].dtype == torch.float64
        assert accuracies(u, v) == expected
    finally:
        torch.backends.mkldnn.matmul.fp32_precision = before


def test_input_is_left_as_it_was_and_gradients_are_no_matter() -> None:
    u, v = torch.randn(20, 4, dtype=torch.float64, requires_grad=True), torch.randn(20, 4, dtype=torch.float64)
    before = u.detach().clone(), v.clone()
    accuracies(u, v), retrieve(u, v), centre(u)
    assert torch.equal(u, before[0])
    assert torch.equal(v, before[1])
    with torch.inference_mode():
        assert accuracies(u, v) == accuracies(before[0], before[1])


def test_centred_vectors_have_mean_zero_in_a_wide_enough_type() -> None:
    vectors = torch.randn(30, 5).add(100).half()
    result = centre(vectors)
    assert result.dtype == torch.float32
    assert torch.allclose(result, vectors.float() - vectors.float().mean(0), atol=1e-4)
    assert result.double().mean(0).abs().max() < 1e-6
    assert centre(vectors.double()).dtype == torch.float64
