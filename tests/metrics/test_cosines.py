"""Products of a matrix's rows by blocks are those of all rows at once."""

from __future__ import annotations

import pytest
import torch

from isogloss.backend.metrics.cosines import PARTS, gram


@pytest.mark.parametrize("n", [1, 2, PARTS - 1, PARTS, PARTS + 1, 2 * PARTS - 1, 50])
@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
def test_blocks_are_the_whole_product(n: int, kind: torch.dtype) -> None:
    vectors = torch.randn(n, 7, dtype=kind, generator=torch.Generator().manual_seed(n))
    rows = vectors.tolist()
    whole = torch.tensor([[sum(a * b for a, b in zip(p, q, strict=True)) for q in rows] for p in rows], dtype=torch.float64)
    out = torch.full((n, n), torch.nan, dtype=kind)
    assert gram(vectors, out) is out
    torch.testing.assert_close(out.double(), whole, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(gram(vectors.mT), vectors.mT @ vectors)
