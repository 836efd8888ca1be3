"""Orders that are products: every sum under them by a loop, and whether p from them is exact, by counting every case."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.backend.metrics import permutation
from isogloss.backend.metrics.orders import factors, orders, products
from isogloss.backend.metrics.permutation import correlations, regression
from isogloss.backend.metrics.whole_matrices import cells, is_whole, sums

KINDS = ["random", "tied", "constant"]


def squares(random: np.random.Generator, shape: tuple[int, ...], n: int, kind: str, *, symmetric: bool):
    found = random.normal(size=(*shape, n, n))
    found = {"random": found, "tied": found.round(), "constant": np.full_like(found, 0.3)}[kind]
    if symmetric:
        found = np.triu(found, 1) + np.swapaxes(np.triu(found, 1), -1, -2)
    found[..., range(n), range(n)] = np.nan
    return found


@pytest.mark.parametrize(("n", "amount"), [(4, 999), (5, 199), (7, 9), (7, 99), (8, 10), (9, 199), (80, 5)])
@pytest.mark.parametrize("symmetric", [True, False])
def test_sums_are_those_of_every_order_by_a_loop(n: int, amount: int, symmetric: bool) -> None:
    random = np.random.default_rng(n)
    x, *columns = (squares(random, (2,), n, "random", symmetric=symmetric) for _ in range(3))
    flat = [cells(each, symmetric=symmetric) for each in (x, *columns)]
    found = sums(flat[0], flat[1:], n, amount, 5, symmetric=symmetric)
    for row, order in zip(found, orders(n, amount, 5)[0], strict=True):
        for own, column in zip(row, columns, strict=True):
            pairs = [(i, j) for i in range(n) for j in range(n) if (i < j if symmetric else i != j)]
            by_hand = sum(x[at, order[i], order[j]] * column[at, i, j] for at in range(2) for i, j in pairs)
            assert own == pytest.approx(by_hand)


@settings(max_examples=80, deadline=None)
@given(
    st.integers(2, 12),
    st.sampled_from([(), (1,), (3,)]),
    st.booleans(),
    st.booleans(),
    st.lists(st.sampled_from(KINDS), min_size=2, max_size=3),
    st.integers(0, 99),
)
def test_what_is_whole_has_the_numbers_of_every_order_laid_out(n, shape, symmetric, ranks, kinds, seed) -> None:
    random = np.random.default_rng(seed)
    x, *ys = (squares(random, shape, n, kind, symmetric=symmetric) for kind in kinds)
    ys = [y + 0.4 * x for y in ys]
    named = {"a": x, "b": ys[-1]}
    by_factors, laid_out = [], []
    for found, quick in ((by_factors, is_whole), (laid_out, lambda _: False)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(permutation.whole_matrices, "is_whole", quick)
            many = correlations(x, ys, pairs=True, ranks=ranks, amount=99, seed=seed)
            of = regression(ys[0], named, pairs=True, of=["a"])["a"]
        found += [*many.value, *many.p, many.amount, many.exact, of.value, of.p, of.amount, of.exact]
    np.testing.assert_allclose(by_factors, laid_out, rtol=1e-6, atol=1e-9)


def test_random_orders_are_as_many_as_asked_for_and_each_language_is_as_often_anywhere() -> None:
    for amount in (1, 6, 10, 99, 199, 999):
        found = factors(20, amount)
        assert len(found.left) * len(found.right) == amount + 1
        assert (found.left[0] == range(20)).all()
        assert (found.right[0] == range(20)).all()
    places = np.concatenate([orders(5, 99, seed)[0][1:] for seed in range(40)])
    shares = [[(places[:, at] == language).mean() for language in range(5)] for at in range(5)]
    np.testing.assert_allclose(shares, 0.2, atol=0.03)


def test_p_from_products_is_exact() -> None:
    """Every order of what is observed with every choice of two by three orders of four languages: no p comes too often."""
    every = np.array(list(itertools.permutations(range(4))))
    place = {tuple(order): at for at, order in enumerate(every.tolist())}
    after = np.array([[place[tuple(a[b])] for b in every] for a in every])  # first b, then a
    random = np.random.default_rng(1)
    x, y = (squares(random, (), 4, "random", symmetric=False) for _ in range(2))
    numbers = np.array([np.nansum(x[np.ix_(order, order)] * y) for order in every])
    reached = np.zeros(7, np.int64)
    for one, (two, three) in itertools.product(range(24), itertools.product(range(24), repeat=2)):
        chosen = products(every[[0, one]], every[[0, two, three]])
        those = [place[tuple(order)] for order in chosen.tolist()]
        compared = numbers[after[:, those]]  # [observed, orders]
        reached += np.bincount((compared >= compared[:, :1]).sum(axis=1), minlength=7)
    at_most = np.cumsum(reached) / reached.sum()
    assert (at_most <= np.arange(7) / 6 + 1e-12).all()
    assert at_most[-1] == 1
    exact = np.array([(numbers >= each).mean() for each in numbers])  # and of each observed order its mean is as it should be
    assert (reached @ np.arange(7)) / reached.sum() / 6 == pytest.approx((1 + 5 * exact.mean()) / 6)
