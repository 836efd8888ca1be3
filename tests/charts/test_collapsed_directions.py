"""Directions of transfer between groups are means over the directions between their languages, against loops."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from isogloss.backend.charts.grid import pivot
from isogloss.backend.figures import collapsed_directions as module
from isogloss.backend.figures import probing
from isogloss.backend.figures.collapsed_directions import collapsed_directions, lines_of
from isogloss.backend.figures.ordering import axes, grid

TARGETS = ["de", "en", "fi", "hu", "ja", "ru"]
SOURCES = ["de", "fi", "ru", "hu"]
SCORES = {
    (a, b): value
    for (a, b), value in zip(itertools.product(SOURCES, TARGETS), np.random.default_rng(1).random(24), strict=True)
    if (a, b) not in {("de", "en"), ("hu", "ja")}
}
ROWS = pd.DataFrame(
    [
        {"source": a, "target": b, "value": value, "percent": 100 * value, "low": value - 0.1, "high": value + 0.1, "n": 9}
        for (a, b), value in SCORES.items()
    ]
)
FAMILY = dict(zip(TARGETS, ["Indo-European", "Indo-European", "Uralic", "Uralic", "Japonic", "Indo-European"], strict=True))


@pytest.mark.parametrize("most", [3, 5])
@pytest.mark.parametrize("opened", [[], ["Uralic"], ["Uralic", "Indo-European", "Japonic"]])
@pytest.mark.parametrize("square", [False, True])
@pytest.mark.parametrize("pinned", [(), ("ru", "ja", "fi")])
def test_a_cell_is_the_mean_over_the_directions_of_its_groups(
    most: int, opened: list[str], square: bool, pinned: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With at most 5 by itself the four sources stay as they are, and the targets collapse."""
    monkeypatch.setattr(module, "MANY", most)
    along = axes("family", ROWS, SOURCES, TARGETS, pinned, highest_first=True)
    assert list(along.columns)[: len(pinned)] == list(pinned)
    cells = grid(ROWS[(ROWS["source"] != ROWS["target"]) | (not square)], along, "t", square=square)
    found = collapsed_directions(cells, along, "family", opened)
    rows, columns = (lines_of(list(own), "family", opened, pinned) for own in (along.rows, along.columns))
    assert found.values.shape == (len(rows), len(columns))
    if most == 5:
        assert [tag for _, tag in rows] == list(along.rows)
    assert found.notes is not None
    assert found.low is not None
    for (i, (group, tag)), (j, (other, to)) in itertools.product(enumerate(rows), enumerate(columns)):
        left = [tag] if tag else [each for each in SOURCES if FAMILY[each] == group]
        right = [to] if to else [each for each in TARGETS if FAMILY[each] == other]
        if len(left) == len(right) == 1:
            here = (left[0], right[0])
            own = math.nan if square and left == right else 100 * SCORES.get(here, math.nan)
            assert math.isnan(own) or found.low[i, j] == pytest.approx(own - 10)
        else:
            of = [(a, b) for a in left for b in right if a != b]
            has = [SCORES[each] for each in of if each in SCORES]
            own = 100 * sum(has) / len(has) if has else math.nan
            assert found.notes[i][j] == f"mean of {len(has)} of {len(of)} directions"
            assert math.isnan(found.low[i, j])
        assert found.values[i, j] == pytest.approx(own, rel=1e-5, nan_ok=True)


def test_nothing_collapses_unasked_or_of_few() -> None:
    along = axes("family", ROWS, SOURCES, TARGETS, highest_first=True)
    cells = grid(ROWS, along, "t")
    assert collapsed_directions(cells, along, "family", None) is cells
    few = collapsed_directions(cells, along, "family", [])
    np.testing.assert_array_equal(few.values, cells.values)
    assert (few.row_labels, few.column_labels, few.row_groups) == (cells.row_labels, cells.column_labels, cells.row_groups)


@pytest.mark.parametrize("opened", [[], ["Uralic"], None])
def test_probes_of_many_languages_are_collapsed_and_framed_where_both_are_drawn(
    opened: list[str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MANY", 3)
    best = {to: max((a for a in SOURCES if (a, to) in SCORES), key=lambda a, to=to: SCORES[a, to]) for to in TARGETS}
    sure = ROWS.assign(metric="probe_accuracy", checkpoint="c", low=ROWS["value"], high=ROWS["value"])
    names = {"unit": "words", "trained": SOURCES, "tested": TARGETS, "order": "family", "own": True, "title": "t"}
    drawn = probing.sources(sure, metric="probe_accuracy", opened=opened, **names)
    along = axes("family", sure, SOURCES, TARGETS, highest_first=True)
    expected = collapsed_directions(pivot(sure, rows=along.rows, columns=along.columns), along, "family", opened)
    (heatmap,) = (trace for trace in drawn.data if trace.type == "heatmap")
    assert np.array_equal(heatmap.z, expected.values, equal_nan=True)
    assert [*drawn.layout.yaxis.ticktext] == list(expected.row_labels)
    alone = [("", tag) for tag in along.rows], [("", tag) for tag in along.columns]
    rows, columns = alone if opened is None else (lines_of(list(own), "family", opened) for own in (along.rows, along.columns))
    framed = {(tag, to) for _, tag in rows for _, to in columns if tag and to and best[to] == tag}
    outlines = [trace for trace in drawn.data if trace.name and "best source" in trace.name and trace.mode == "lines"]
    centres = {(round(y + 0.5), round(x + 0.5)) for outline in outlines for x, y in corners(outline)}
    places = {(i, j) for i, (_, tag) in enumerate(rows) for j, (_, to) in enumerate(columns) if (tag, to) in framed}
    assert centres == places


def corners(frames: Any) -> list[tuple[float, float]]:
    """Return the upper left corner of each frame: the least x and y between two gaps."""
    x, y = np.asarray(frames.x, float), np.asarray(frames.y, float)
    parts = np.split(np.arange(len(x)), np.flatnonzero(np.isnan(x)))
    own = [part[np.isfinite(x[part])] for part in parts]
    return [(x[part].min(), y[part].min()) for part in own if len(part)]
