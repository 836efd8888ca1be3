"""Measures that share no language: a correlation that is unknown, never an error."""

from __future__ import annotations

import numpy as np
import pytest

from isogloss.backend.experiments.relations import correlations, where
from isogloss.backend.experiments.relations.tables import Joined


@pytest.mark.parametrize("ranks", [False, True])
@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("unit", ["pair", "language"])
def test_where_nothing_is_shared_nothing_is_known(unit: str, fixed: bool, ranks: bool) -> None:
    names = ("de", "en", "fr", "zh")
    shape = (3, 4, 4) if unit == "pair" else (3, 4)
    a, b = np.random.default_rng(0).random((2, *shape))
    a[..., 2:], b[..., :2] = np.nan, np.nan
    both = where.Both((0, 1, 2), Joined(unit, "layer", names, ("0", "1", "2"), {}, False), a, b)  # type: ignore[arg-type]
    cells = where._cells(both, "one", both.shared(), ranks=ranks, fixed=where._Fixed(ranks) if fixed else None)
    assert [cell[:2] for cell in cells] == [("one", 0), ("one", 1), ("one", 2)]
    assert np.isnan([cell[2:4] for cell in cells]).all()


def test_a_place_where_nothing_is_shared_stands_beside_others() -> None:
    """Of two checkpoints, one has other languages than the outcome."""
    random = np.random.default_rng(1)
    x, y = random.random((2, 2, 6))
    x[0] = np.nan
    found = Joined("language", "checkpoint", tuple("abcdef"), ("one", "two"), {"x": x, "y": y}, False)
    empty, full = (correlations.relate(correlations._at(found, place), "x", "y") for place in (0, 1))
    assert all(np.isnan(each.permuted.value) and each.plain.n == 0 for each in empty)
    assert all(np.isfinite(each.permuted.p) and each.plain.n == 6 for each in full)
