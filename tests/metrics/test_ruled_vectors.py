"""The mean cosine by dimensions, against plain loops."""

from __future__ import annotations

import math

import pytest
import torch

from isogloss.backend.metrics.soundness import cosine_and_top_share


def loops(vectors: list[list[float]]) -> tuple[float, float, float]:
    parts = parts_of(vectors)
    most = sorted(range(len(parts)), key=parts.__getitem__)[-3:]
    share = sum(parts[d] for d in most) / sum(parts)
    if len(vectors) < 3:
        return sum(parts), share, math.nan
    left = []
    for out in range(len(vectors)):
        fewer = parts_of(vectors[:out] + vectors[out + 1 :])
        left.append(sum(fewer[d] for d in most) / sum(fewer))
    mean, n = sum(left) / len(left), len(left)
    return sum(parts), share, math.sqrt((n - 1) / n * sum((each - mean) ** 2 for each in left))


def parts_of(vectors: list[list[float]]) -> list[float]:
    lengths = [math.sqrt(sum(x * x for x in vector)) for vector in vectors]
    dims, pairs = len(vectors[0]), [(p, q) for p in range(len(vectors)) for q in range(len(vectors)) if p != q]
    return [sum(vectors[p][d] * vectors[q][d] / lengths[p] / lengths[q] for p, q in pairs) / len(pairs) for d in range(dims)]


@pytest.mark.parametrize(("n", "dims", "seed"), [(2, 1, 0), (5, 3, 1), (9, 40, 2)])
def test_equals_plain_loops(n: int, dims: int, seed: int) -> None:
    vectors = torch.randn(n, dims, generator=torch.Generator().manual_seed(seed)) + 0.7
    assert cosine_and_top_share(vectors) == pytest.approx(loops(vectors.tolist()), rel=1e-4, abs=1e-6, nan_ok=True)


def test_a_rogue_dimension_is_the_cosine_and_alike_ones_share_it() -> None:
    vectors = torch.randn(200, 60, generator=torch.Generator().manual_seed(0))
    vectors[:, 7] += 100
    cosine, share, _ = cosine_and_top_share(vectors)
    assert cosine > 0.98
    assert share > 0.99
    assert cosine_and_top_share(torch.ones(4, 60)) == pytest.approx((1, 3 / 60, 0), abs=1e-7)


def test_without_two_sentences_or_a_cosine_there_is_no_share() -> None:
    assert all(map(math.isnan, cosine_and_top_share(torch.ones(1, 3))))
    cosine, share, _ = cosine_and_top_share(torch.tensor([[1.0, 0.0], [-1.0, 0.0]]))
    assert cosine == -1
    assert math.isnan(share)
    assert cosine_and_top_share(torch.zeros(3, 2))[0] == 0
    with pytest.raises(ValueError, match="not finite"):
        cosine_and_top_share(torch.tensor([[math.nan], [1.0]]))
