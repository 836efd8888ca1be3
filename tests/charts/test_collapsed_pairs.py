"""A matrix of pairs by group holds the means over all pairs of languages of two groups, against loops over the pairs."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from isogloss.backend.charts.grid import Grid, pivot
from isogloss.backend.charts.languages import arranged
from isogloss.backend.figures.collapsed import drawn_rows
from isogloss.backend.figures.collapsed_pairs import collapsed_pairs, with_diagonal
from isogloss.backend.figures.languages import language_table

TAGS = ["de", "en", "fi", "hu", "ja", "ru", "zh", "zu"]
ROWS = pd.DataFrame(
    [
        {"source": a, "target": b, "value": value, "low": value - 0.1, "high": value + 0.1, "n": 9}
        for (a, b), value in zip(
            ((a, b) for i, a in enumerate(TAGS) for b in TAGS[i + 1 :]), np.random.default_rng(3).random(28), strict=True
        )
        if (a, b) not in {("de", "fi"), ("ja", "zh")}
    ]
)


def whole(order: str, pinned: tuple[str, ...] = ()) -> tuple[Grid, dict[str, str]]:
    names, groups = arranged(order, None, language_table(TAGS), pinned)  # type: ignore[arg-type]
    return pivot(ROWS, rows=names, columns=names, symmetric=True, row_groups=groups), names


@pytest.mark.parametrize("order", ["family", "script", "region", "resource level"])
@pytest.mark.parametrize("opened", [[], ["Uralic", "Latin", "low"], ["Indo-European", "high"]])
@pytest.mark.parametrize("pinned", [(), ("ru", "fi")])
def test_a_cell_is_the_mean_over_the_pairs_of_its_groups(order: str, opened: list[str], pinned: tuple[str, ...]) -> None:
    unpinned, names = whole(order)
    groups = dict(zip(names, unpinned.row_groups or (), strict=True))
    cells, _ = whole(order, pinned)
    found = collapsed_pairs(cells, TAGS, order, opened, pinned)  # type: ignore[arg-type]
    rows = drawn_rows(TAGS, order, opened, pinned) or []  # type: ignore[arg-type]
    scores = {frozenset((a, b)): value for a, b, value in zip(ROWS["source"], ROWS["target"], ROWS["value"], strict=True)}
    assert found.undefined is not None
    assert found.notes is not None
    assert found.low is not None
    for i, (group, tag) in enumerate(rows):
        for j, (other, to) in enumerate(rows):
            left = [tag] if tag else [each for each in TAGS if groups[each] == group]
            right = [to] if to else [each for each in TAGS if groups[each] == other]
            pairs = {frozenset((a, b)) for a in left for b in right if a != b}
            own = [scores[pair] for pair in pairs if pair in scores]
            assert found.undefined[i, j] == (not pairs)
            expected = sum(own) / len(own) if own else math.nan
            if left == right or not (tag and to):  # within a group a pair is met twice from both ends: the same mean
                assert found.values[i, j] == pytest.approx(expected, abs=1e-6, nan_ok=True)
            if len(left) == len(right) == 1:
                assert found.low[i, j] == pytest.approx(expected - 0.1, abs=1e-6, nan_ok=True)
                assert found.notes[i][j] == ""
            elif pairs:
                assert found.notes[i][j] == f"mean of {len(own)} of {len(pairs)} pairs"
                assert math.isnan(found.low[i, j])


def test_the_lower_half_keeps_what_lies_within_groups() -> None:
    found = with_diagonal(collapsed_pairs(whole("family")[0], TAGS, "family", []))
    families = [label.split(" (")[0] for label in found.row_labels]
    assert families == ["+ Atlantic-Congo", "+ Indo-European", "+ Japonic", "+ Sino-Tibetan", "+ Uralic"]
    assert np.isfinite(found.values[1, 1])
    assert np.isnan(found.values[np.triu_indices(5, 1)]).all()
    assert not found.missing[0, 0]  # Zulu alone: there is no pair
    assert found.missing[3, 2]  # Chinese and Japanese: not computed


def test_of_directed_scores_both_directions_count() -> None:
    names, groups = arranged("family", None, language_table(TAGS))
    random = np.random.default_rng(4)
    both = {(a, b): random.random() for a in TAGS for b in TAGS if a != b}
    rows = pd.DataFrame([{"source": a, "target": b, "value": value} for (a, b), value in both.items()])
    cells = pivot(rows, rows=names, columns=names, square=True, row_groups=groups)
    found = collapsed_pairs(cells, TAGS, "family", [], directed=True)
    own, other = ["de", "en", "ru"], ["fi", "hu"]
    assert found.values[1, 4] == pytest.approx(np.mean([both[a, b] for a in own for b in other]), abs=1e-6)
    assert found.values[4, 1] == pytest.approx(np.mean([both[b, a] for a in own for b in other]), abs=1e-6)
    assert found.values[1, 1] == pytest.approx(np.mean([both[a, b] for a in own for b in own if a != b]), abs=1e-6)
    assert found.notes is not None
    assert found.notes[1][1] == "mean of 6 of 6 pairs"


def test_nothing_collapses_in_another_order() -> None:
    cells, _ = whole("name")
    assert collapsed_pairs(cells, TAGS, "name", []) is cells
    assert collapsed_pairs(cells, TAGS, "family", None) is cells
