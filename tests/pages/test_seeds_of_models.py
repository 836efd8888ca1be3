"""Seeds of a model are one line in every view of curves: the mean of the lines that they are by themselves."""

from __future__ import annotations

import numpy as np
import pytest

import isogloss
from isogloss.pages.widgets.choosing import seeds


@pytest.mark.parametrize(
    ("view", "more"),
    [
        ("abx/curves", {"over": "Layers"}),
        ("geometry/curves", {"over": "Layers"}),
        ("alignment/curves", {"unit": "Sentences", "over": "Layers"}),
        ("alignment/curves", {"unit": "Sentences", "over": "Layers", "lines": "Pairs"}),
        ("alignment/curves", {"unit": "Sentences", "over": "Checkpoints"}),
        ("probing/curves", {"over": "Layers"}),
        ("probing/curves", {"over": "Layers", "lines": "Languages"}),
    ],
)
def test_the_line_of_the_seeds_is_their_mean(view: str, more: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    apart = isogloss.figure(view, **more)
    monkeypatch.setattr(seeds, "seeds_of", lambda names: dict.fromkeys(names, "Demo"))
    together = isogloss.figure(view, **more)
    lines: dict[str, list[np.ndarray]] = {}
    for trace in apart.data:
        if trace.mode == "lines+markers":
            lines.setdefault(trace.customdata[0][1] if "lines" in more or "probing" in view else "", []).append(trace.y)
    found = [trace for trace in together.data if trace.mode == "lines+markers"]
    assert len(found) == len(lines)
    for trace in found:
        name = trace.customdata[0][1] if "lines" in more or "probing" in view else ""
        expected = np.mean([np.asarray(each, np.float64) for each in lines[name]], axis=0)
        assert np.asarray(trace.y, np.float64) == pytest.approx(expected, abs=1e-6)
        assert "Demo (" in trace.customdata[0][0]
