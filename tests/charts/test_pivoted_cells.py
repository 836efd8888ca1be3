"""A long frame laid out as cells: what a loop over its rows gives."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.charts.grid import pivot

TAGS = ("ar", "de", "en", "zh")
ROWS = st.lists(st.tuples(st.sampled_from((*TAGS, "tlh")), st.sampled_from(TAGS)), max_size=12)


@given(ROWS, st.booleans(), st.permutations(TAGS))
def test_each_score_is_in_its_cell_and_none_is_lost(pairs: list[tuple[str, str]], symmetric: bool, order: list[str]) -> None:
    frame = pd.DataFrame(
        {"source": [a for a, _ in pairs], "target": [b for _, b in pairs], "value": np.arange(len(pairs)) + 1.0}
    )
    expected: dict[tuple[str, str], float] = {}
    twice = False
    for (a, b), value in zip(pairs, frame["value"], strict=True):
        for cell in {(a, b), (b, a)} if symmetric else {(a, b)}:
            if set(cell) <= set(TAGS):
                twice |= cell in expected
                expected[cell] = value
    if twice:
        with pytest.raises(ValueError, match="More than one score"):
            pivot(frame, rows=order, columns=TAGS, symmetric=symmetric)
        return
    found = pivot(frame, rows=order, columns=TAGS, symmetric=symmetric)
    wanted = [[expected.get((row, column), np.nan) for column in TAGS] for row in order]
    np.testing.assert_array_equal(found.values, np.array(wanted, np.float32))
