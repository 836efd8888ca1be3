"""Seeds of a model are one line in every view of curves, and one heatmap: the mean of what they are by themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
import pytest

import isogloss
from isogloss.backend.errors import SpecError
from isogloss.backend.models.entry import Model
from isogloss.backend.models.library import library as models
from isogloss.pages.widgets.choosing import seeds
from tests.pages.abx.abx_page import DEMO


@pytest.mark.parametrize(
    ("view", "more"),
    [
        ("abx/curves", {"over": "Layers"}),
        ("geometry/curves", {"over": "Layers"}),
        ("alignment/curves", {"unit": "Sentences", "over": "Layers"}),
        ("alignment/curves", {"unit": "Sentences", "over": "Layers", "lines": "Pairs"}),
        ("alignment/curves", {"unit": "Sentences", "over": "Checkpoints"}),
    ],
)
def test_the_line_of_the_seeds_is_their_mean(view: str, more: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    lines_are_means(view, more, monkeypatch)


def lines_are_means(view: str, more: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Hold the lines of models as seeds of one against the lines of each."""
    apart = isogloss.figure(view, **more)
    monkeypatch.setattr(seeds, "seeds_of", lambda names: dict.fromkeys(names, "Demo"))
    together = isogloss.figure(view, **more)
    lines: dict[str, list[np.ndarray]] = {}
    for trace in apart.data:
        if trace.mode == "lines+markers":
            lines.setdefault(trace.customdata[0][1] if "lines" in more or "probing" in view else "", []).append(trace.y)
    found = [trace for trace in together.data if trace.mode == "lines+markers"]
    assert len(found) == len(lines)
    assert min(map(len, lines.values())) > 1
    for trace in found:
        name = trace.customdata[0][1] if "lines" in more or "probing" in view else ""
        expected = np.mean([np.asarray(each, np.float64) for each in lines[name]], axis=0)
        assert np.asarray(trace.y, np.float64) == pytest.approx(expected, abs=1e-6)
        assert "Demo (" in trace.customdata[0][0]


CELL = ["metric", "measure", "variant", "checkpoint_of", "layer", "layer_name", "language", "source", "target"]
HEATMAPS = [
    ("abx/layers-checkpoints", {}, ""),
    ("abx/languages", {}, ""),
    ("abx/languages", {"across": "Layers"}, ""),
    ("geometry/layers-checkpoints", {}, ""),
    ("geometry/languages", {}, ""),
    ("geometry/languages", {"across": "Layers"}, ""),
    ("geometry/pairs", {}, "pair_model"),
    ("alignment/layers-checkpoints", {"unit": "Sentences"}, ""),
    ("alignment/matrix", {"unit": "Sentences"}, "at_model"),
    ("alignment/table", {"unit": "Sentences"}, ""),
    ("alignment/table", {"unit": "Words"}, ""),
]


@pytest.mark.parametrize(("view", "more", "chooser"), HEATMAPS)
def test_a_cell_of_the_seeds_is_their_mean(
    view: str, more: dict[str, str], chooser: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells_are_means(view, more, models.entries([DEMO])[:2], monkeypatch, chooser=chooser)


def cells_are_means(
    view: str, more: Mapping[str, Any], two: Sequence[Model], monkeypatch: pytest.MonkeyPatch, *, chooser: str = ""
) -> None:
    """Hold the figures of two models as seeds of one against those of each: checkpoints with the same label are the same.

    `chooser` is the control that chooses a model, in views of one.
    """
    named = {each.fingerprint: each.label for model in two for each in model.checkpoints}
    names = [model.name for model in two]
    choices = [{chooser: name} for name in names] if chooser else [{}]
    apart = pd.concat([each for choice in choices for each in every_rows(view, {**more, **choice})])
    monkeypatch.setattr(seeds, "seeds_of", lambda of: dict.fromkeys(of, "Demo"))
    together = pd.concat(every_rows(view, more))
    apart, together = (rows.assign(checkpoint_of=rows["checkpoint"].map(named)) for rows in (apart, together))
    assert set(together["model"]) == {"Demo (2 seeds)"}
    assert set(apart["model"]) == set(names)
    keys = [each for each in CELL if each in together]
    expected: dict[tuple[str, ...], list[float]] = {}
    for row in apart.dropna(subset=["value"]).to_dict("records"):
        expected.setdefault(tuple(str(row[key]) for key in keys), []).append(float(row["value"]))
    known = together.dropna(subset=["value"])
    found = {tuple(str(row[key]) for key in keys): row for row in known.to_dict("records")}
    assert len(found) == len(known)
    assert set(found) == set(expected)
    assert max(map(len, expected.values())) == 2
    for key, values in expected.items():
        assert found[key]["value"] == pytest.approx(np.mean(values), abs=1e-6)
        assert np.isfinite(found[key]["low"]) == (len(values) > 1)


def every_rows(view: str, more: Mapping[str, Any]) -> list[pd.DataFrame]:
    """Return the rows behind each figure of a view."""
    found: list[pd.DataFrame] = []
    with suppress(SpecError):
        while True:
            found.append(isogloss.rows(view, which=len(found), **more))
    return found
