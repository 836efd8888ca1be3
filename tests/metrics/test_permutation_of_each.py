"""Correlations of many matrices at once: what each has by itself, whole or not, and what every order gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from permutation_by_hand import correlation_p

from isogloss.backend.metrics import permuted_cells
from isogloss.backend.metrics.permutation import correlation
from isogloss.backend.metrics.permutation_of_each import of_each


def square(random: np.random.Generator, n: int, kind: str):
    """A matrix of n languages without a diagonal, whole and symmetric but for what its kind says."""
    found = random.normal(size=(n, n))
    if kind in {"tied", "constant"}:
        found = found.round(0) if kind == "tied" else np.full((n, n), 0.3)
    found = np.triu(found, 1) + np.triu(found, 1).T if kind != "directed" else found
    found[np.diag_indices(n)] = 0.0 if kind == "with a diagonal" else np.nan
    if kind == "lacks some":
        found[0, 1:3] = found[1:3, 0] = np.nan
    if kind == "infinite":
        found[0, 1] = found[1, 0] = np.inf
    return found


KINDS = ["whole", "tied", "constant", "directed", "with a diagonal", "lacks some", "infinite"]


@pytest.mark.parametrize("ranks", [False, True])
@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(KINDS), st.sampled_from(KINDS), st.integers(3, 15)), max_size=5), st.integers(0, 99))
def test_each_is_what_it_is_by_itself(ranks: bool, of: list[tuple[str, str, int]], seed: int) -> None:
    random = np.random.default_rng(seed)
    both = [(square(random, n, one), square(random, n, other)) for one, other, n in of]
    both = [(x, y + 0.4 * np.nan_to_num(x, posinf=0)) for x, y in both]
    value, p = of_each(both, ranks=ranks, amount=99, seed=seed)
    alone = [correlation(x, y, pairs=True, ranks=ranks, amount=99, seed=seed) for x, y in both]
    np.testing.assert_allclose(value, [each.value for each in alone], rtol=0, atol=1e-12)
    assert p.tolist() == pytest.approx([each.p for each in alone], abs=0, nan_ok=True)


@pytest.mark.parametrize("kind", ["whole", "tied"])
@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_p_of_whole_matrices_is_that_of_every_order(kind: str, n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permuted_cells, "permuted", None)  # none is left to it
    random = np.random.default_rng(n)
    both = [(square(random, n, kind), square(random, n, kind)) for _ in range(4)]
    value, p = of_each(both)
    off = ~np.eye(n, dtype=bool)
    for (x, y), own, share in zip(both, value.tolist(), p.tolist(), strict=True):
        if np.ptp(x[off]) and np.ptp(y[off]):
            assert own == pytest.approx(np.corrcoef(x[off], y[off])[0, 1])
            assert share == pytest.approx(correlation_p(x, y))
        else:
            assert np.isnan([own, share]).all()


def test_values_a_language_and_nothing_at_all() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 7))
    (value,), (p,) = of_each([(x, y)], pairs=False, amount=99)
    alone = correlation(x, y, pairs=False, amount=99)
    assert (value, p) == (alone.value, alone.p)
    assert [each.shape for each in of_each([])] == [(0,), (0,)]


def test_shapes_that_differ_are_an_error() -> None:
    with pytest.raises(ValueError, match="as many on both sides"):
        of_each([(np.zeros((3, 3)), np.zeros((4, 4)))])
