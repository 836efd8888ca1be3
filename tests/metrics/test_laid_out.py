"""A matrix that is laid out once: its correlations and their p are those of every order by a loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.backend.metrics import permutation
from isogloss.backend.metrics.laid_out import correlations, lay_out
from isogloss.backend.metrics.orders import orders
from isogloss.backend.metrics.ranks import ranks as ranks_of


def square(random: np.random.Generator, n: int, kind: str, *, symmetric: bool):
    found = random.normal(size=(n, n))
    found = {"random": found, "tied": found.round(), "constant": np.full_like(found, 0.3)}[kind]
    found = np.triu(found, 1) + np.triu(found, 1).T if symmetric else found
    found[range(n), range(n)] = np.nan
    return found


KINDS = ["random", "tied", "constant"]


@settings(max_examples=60, deadline=None)
@given(
    st.integers(3, 10),
    st.booleans(),
    st.booleans(),
    st.sampled_from(KINDS),
    st.lists(st.sampled_from(KINDS), min_size=1, max_size=4),
    st.sampled_from([9, 99]),
)
def test_it_has_the_numbers_of_every_order_by_a_loop(n, symmetric, ranks, kind, kinds, amount) -> None:
    random = np.random.default_rng([n, amount])
    x, *ys = (square(random, n, each, symmetric=symmetric) for each in (kind, *kinds))
    ys = [y + 0.3 * x for y in ys]
    found = correlations(lay_out(x, symmetric=symmetric, ranks=ranks, amount=amount), np.stack(ys))
    given, exact = orders(n, amount)
    assert (found.amount, found.exact) == (len(given), exact)
    pairs = [(i, j) for i in range(n) for j in range(n) if (i < j if symmetric else i != j)]
    for y, value, p in zip(ys, found.value.tolist(), found.p.tolist(), strict=True):
        by_order = []
        for order in given:
            both = np.array([[x[order[i], order[j]] for i, j in pairs], [y[i, j] for i, j in pairs]])
            both = ranks_of(both) if ranks else both
            by_order.append(np.corrcoef(both)[0, 1] if np.ptp(both[0]) > 1e-9 and np.ptp(both[1]) > 1e-9 else np.nan)
        assert value == pytest.approx(by_order[0], abs=1e-12, nan_ok=True)
        reached = np.abs(by_order) >= abs(by_order[0]) - 2e-9
        assert p == pytest.approx(reached.mean() if np.isfinite(by_order[0]) else np.nan, nan_ok=True)


def test_many_orders_are_those_of_one_correlation_at_a_time() -> None:
    random = np.random.default_rng(4)
    x, *ys = (square(random, 30, "random", symmetric=True) for _ in range(40))
    found = correlations(lay_out(x, symmetric=True, ranks=True, amount=199), np.stack(ys))
    alone = [permutation.correlation(x, y, pairs=True, ranks=True, amount=199) for y in ys]
    np.testing.assert_allclose(found.value, [each.value for each in alone], atol=1e-12)
    assert found.p.tolist() == [each.p for each in alone]
