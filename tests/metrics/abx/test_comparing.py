"""Signs of differences counted in bytes, against their sum one by one."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.metrics.abx.comparing import LANE, count_signs


def one_by_one(similarities: np.ndarray, lefts: list[np.ndarray], top: int, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    w, rows, n = similarities.shape
    signs = np.zeros((len(lefts), w, rows, n), int)
    for number, left in enumerate(lefts):
        whole = np.broadcast_to(left, similarities.shape)
        for each, p, q in np.ndindex(w, rows, n):
            difference = whole[each, p, q] - similarities[each, p, q]
            if top + p != q and abs(difference) > tolerance:
                signs[number, each, p, q] = 1 if difference > 0 else -1
    return signs.sum(-1), signs.sum(-2)


@given(st.data())
def test_counts_are_those_of_loops_with_ties_and_near_ties(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 20))
    rows, w = data.draw(st.integers(1, n)), data.draw(st.integers(1, 3))
    top = data.draw(st.integers(0, n - rows))
    draw = np.random.default_rng(data.draw(st.integers(0, 1000)))
    near = np.array([0, 0.4e-9, 2e-9, -2e-9])

    def some(*shape: int) -> np.ndarray:
        return draw.integers(-2, 3, shape) / 2 + draw.choice(near, shape)

    similarities = some(w, rows, n)
    lefts = [some(w, rows, n), some(rows, n), some(w, rows, 1), some(w, 1, n)]
    found = count_signs(torch.from_numpy(similarities), [torch.from_numpy(each) for each in lefts], top, 1e-9)
    for mine, expected in zip(found, one_by_one(similarities, lefts, top, 1e-9), strict=True):
        np.testing.assert_array_equal(mine.numpy(), expected)


@pytest.mark.parametrize("rows", [1, LANE, LANE + 1, 300])
@pytest.mark.parametrize("n", [300, 8 * LANE, 8 * LANE + 1, 2100])
@pytest.mark.parametrize("left", [-1.0, 0.0, 1.0])
def test_no_lane_runs_over_where_all_come_out_alike(rows: int, n: int, left: float) -> None:
    of_rows, of_columns = count_signs(torch.zeros(1, rows, n, dtype=torch.float64), [torch.tensor(left)], 0, 1e-9)
    assert (of_rows == left * (n - 1)).all()
    inside = torch.arange(n) < rows
    assert torch.equal(of_columns[0, 0].double(), left * (rows - inside.double()))
