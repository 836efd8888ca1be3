"""Translation scores as they are read: the table's order and gaps, beams and examples of what is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa

from isogloss.backend.experiments.translation import frames as own
from isogloss.backend.store import details

if TYPE_CHECKING:
    from pathlib import Path

NAMES = {"h": "Human", "a": "Mine", "b": "Other", "none": "No pre-training"}
GROUPS = {"h": "human", "a": "emergent", "b": "emergent", "none": "none"}


def test_groups_stand_together_and_within_one_the_best_first() -> None:
    rows = [
        ("none", "full", "chrf", 90.0, 1),
        ("a", "full", "chrf", 30.0, 3),
        ("a", "reduced", "chrf", 20.0, 2),
        ("b", "full", "chrf", 15.0, 1),
        ("b", "reduced", "chrf", 40.0, 1),
        ("h", "reduced", "chrf", 5.0, 1),
        ("h", "frozen", "bleu", 7.0, 1),
    ]
    frame = pd.DataFrame(rows, columns=["source", "setting", "metric", "value", "seeds"])
    found = own.table(frame, NAMES, GROUPS, "chrf")
    assert found.columns.tolist() == ["source", "name", "group", "full", "reduced", "seeds"]
    assert found["name"].tolist() == ["Human", "Other", "Mine", "No pre-training"]
    assert found["full"].tolist()[1:] == [15.0, 30.0, 90.0]
    assert np.isnan(found["full"][0])
    assert np.isnan(found["reduced"][3])
    assert found["seeds"].tolist() == [1, 1, 2, 1]
    assert own.table(frame, NAMES, GROUPS, "bleu")[["source", "frozen"]].to_numpy().tolist() == [["h", 7.0]]


def test_beams_and_examples_are_those_of_the_runs(tmp_path: Path) -> None:
    curve = pa.table({"step": [1], "loss": [2.0]})
    example = {"source": "a", "reference": "b", "hypothesis": "c"}
    provenance = {"chrf": {"5": 3.0, "1": 1.0}, "bleu": {"5": 0.3, "1": 0.1}, "examples": [example, example | {"source": "d"}]}
    details.write(tmp_path, "kept", curve, provenance)
    details.write(tmp_path, "bare", curve, {})
    runs = pd.DataFrame({"run": ["kept", "bare", "gone"], "setting": ["full"] * 3, "seed": [4, 5, 6]})
    assert own.beams(runs, [tmp_path]).to_numpy().tolist() == [["full", 4, 1, 1.0, 0.1], ["full", 4, 5, 3.0, 0.3]]
    assert own.examples("kept", [tmp_path]).to_numpy().tolist() == [["a", "b", "c"], ["d", "b", "c"]]
    assert own.examples("gone", [tmp_path]).columns.tolist() == list(own.EXAMPLE)
