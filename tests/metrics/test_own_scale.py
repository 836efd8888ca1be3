"""A language's scores on a scale of its own, against the rule said row by row."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from isogloss.backend.experiments.probing.frames import normalised
from isogloss.backend.figures.abx import by_language
from isogloss.backend.metrics.own_scale import own_scale


def slowly(row: list[float]) -> list[float]:
    known = [each for each in row if np.isfinite(each)]
    if len(set(known)) < 2:
        return [np.nan] * len(row)
    return [(each - min(known)) / (max(known) - min(known)) if np.isfinite(each) else np.nan for each in row]


def test_it_is_the_rule_row_by_row() -> None:
    nan = np.nan
    raw = np.array([[0.5, 0.75, 1.0], [0.6, nan, 0.7], [0.8, 0.8, nan], [nan] * 3, [nan, 0.3, nan], [0.0, 0.0, 0.0]])
    raw = np.vstack([raw, np.random.default_rng(3).random((20, 3)).round(1)])
    found = own_scale(raw)
    assert found == pytest.approx(np.array([slowly(row) for row in raw.tolist()]), nan_ok=True)
    assert np.isnan(found[[2, 3, 4, 5]]).all()  # none of these has a scale
    assert own_scale(np.empty((2, 0))).shape == (2, 0)


def test_rows_of_probes_are_scaled_by_the_same_function() -> None:
    """So that a language whose scores are all alike is left out of both pages' heatmaps."""
    random = np.random.default_rng(4)
    values = random.random((4, 5)).round(1)
    values[2] = 0.7
    rows = pd.DataFrame(
        [("accuracy", f"l{i}", value) for i, row in enumerate(values.tolist()) for value in row],
        columns=["metric", "language", "value"],
    ).sample(frac=1, random_state=1)
    found = normalised(rows).sort_index()["normalised"].to_numpy().reshape(4, 5)
    assert found == pytest.approx(own_scale(values), nan_ok=True)


def test_where_no_language_has_a_scale_the_scores_are_drawn() -> None:
    """As of a model of one checkpoint."""
    rows = pd.DataFrame({"language": ["de", "en"], "checkpoint": "c", "value": [0.6, 0.7], "n": 9})
    asked = {"metric": "abx_language", "languages": ["de", "en"], "column_title": "Checkpoint", "order": "name", "model": "M"}
    drawn = by_language(rows, columns={"c": "last"}, normalised=True, **asked)
    assert sorted(drawn.data[0].z.ravel().tolist()) == pytest.approx([0.6, 0.7])
    more = pd.concat([rows, rows.assign(checkpoint="d", value=[0.6, 0.8])])
    drawn = by_language(more, columns={"c": "first", "d": "last"}, normalised=True, **asked)
    assert drawn.data[0].z == pytest.approx(np.array([[0, 1], [np.nan] * 2]), nan_ok=True)
    assert [trace.name for trace in drawn.data[1:]] == ["all alike"]
