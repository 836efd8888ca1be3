from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.models.encoding.half import to_half

FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)


@given(st.lists(FLOATS, min_size=1, max_size=8))
def test_every_finite_vector_survives(values: list[float]) -> None:
    vector = torch.tensor(values, dtype=torch.float32)
    half, exponent = to_half(vector)
    assert half.dtype == torch.float16
    assert torch.isfinite(half).all()
    back = half.double() * 2.0 ** float(exponent)
    largest = vector.abs().max().double()
    allowed = torch.maximum(vector.abs().double() * 2.0**-11, largest * 2.0**-19)
    assert (back - vector.double()).abs().le(allowed).all()


def test_ordinary_vectors_are_stored_as_they_are() -> None:
    vectors = torch.randn(50, 3, 16)
    half, exponents = to_half(vectors)
    assert exponents.shape == (50, 3)
    assert not exponents.any()
    assert torch.equal(half, vectors.half())


def test_too_large_and_too_small_are_scaled_by_powers_of_two() -> None:
    vectors = torch.tensor([[65504.0, 1.0], [70000.0, 1.0], [1e-6, 2e-6], [0.0, 0.0]])
    half, exponents = to_half(vectors)
    assert exponents.tolist()[0] == 0
    assert exponents.tolist()[3] == 0
    assert exponents[1] > 0 > exponents[2]
    cosine = torch.nn.functional.cosine_similarity(half.double(), vectors.double(), dim=1)
    torch.testing.assert_close(cosine[:3], torch.ones(3, dtype=torch.float64), atol=1e-6, rtol=0)
