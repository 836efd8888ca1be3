"""Two variants side by side: what they share, places by loops, and options in words."""

from __future__ import annotations

from statistics import mean, stdev

import numpy as np
import pandas as pd
import pytest

from isogloss.backend.experiments.xferbench import compare as xferbench_compare
from isogloss.backend.experiments.xferbench import options as xferbench_options
from isogloss.backend.training.language_model.options import preset

T, U = "c" * 24, "d" * 24
A, B, C = "a" * 24, "b" * 24, "e" * 24
NAMES = {A: "Mine", B: "Other", "none": "No pre-training", C: "Only here"}
GROUPS = {A: "emergent", B: "random", "none": "none", C: "emergent"}


def cells(values: dict[tuple[str, str], float], corpus: str = T) -> pd.DataFrame:
    return pd.DataFrame([{"source": s, "corpus": corpus, "target": t, "value": v} for (s, t), v in values.items()])


FIRST = {
    (A, "fi"): 5.0,
    (A, "da"): 6.0,
    (B, "fi"): 5.5,
    (B, "da"): 6.5,
    ("none", "fi"): 5.4,
    ("none", "da"): 6.9,
    (C, "fi"): 1.0,
    (A, "eu"): 9.0,
}
SECOND = {
    (A, "fi"): 70.0,
    (A, "da"): 60.0,
    (B, "fi"): 10.0,
    (B, "da"): 20.0,
    ("none", "fi"): 30.0,
    ("none", "da"): 50.0,
    (A, "eu"): 1.0,
    (B, "eu"): 1.0,
    ("none", "eu"): 1.0,
}


def test_only_what_both_have_is_compared() -> None:
    ours, theirs = xferbench_compare.common(cells(FIRST), cells(SECOND))
    assert set(ours["source"]) == set(theirs["source"]) == {A, B, "none"}
    assert set(ours["target"]) == set(theirs["target"]) == {"fi", "da"}  # Basque, which two of the first lack, is none of it


def test_places_are_those_of_loops() -> None:
    found = xferbench_compare.places(cells(FIRST), cells(SECOND), NAMES, GROUPS)
    assert found["name"].tolist() == ["Mine", "Other", "No pre-training"]
    assert found["first"].tolist() == pytest.approx([5.5, 6.0, 6.15])
    assert found["second"].tolist() == pytest.approx([65, 15, 40])
    assert found["first_place"].tolist() == [1, 2, 3]
    assert found["second_place"].tolist() == [3, 1, 2]
    assert found["change"].tolist() == [2, -1, -1]


def test_equal_scores_share_their_place() -> None:
    level = dict.fromkeys(SECOND, 5.0)
    found = xferbench_compare.places(cells(FIRST), cells(level), NAMES, GROUPS)
    assert found["second_place"].tolist() == [2, 2, 2]


def test_cells_are_normalised_within_their_own_variant() -> None:
    found = xferbench_compare.cells(cells(FIRST), cells(SECOND), NAMES, GROUPS)
    assert len(found) == 6
    for row in found.to_dict("records"):
        target = row["text"].partition("/")[2]
        for column, values in (("first", FIRST), ("second", SECOND)):
            own = [values[source, target] for source in (A, B, "none")]
            assert row[column] == pytest.approx((values[row["source"], target] - mean(own)) / stdev(own))
        assert row["difference"] == pytest.approx(row["first"] - row["second"])


def test_nothing_in_common_gives_no_rows() -> None:
    other = cells({(C, "fi"): 1.0})
    mine = cells({(A, "fi"): 1.0})
    for frame in (xferbench_compare.places(mine, other, NAMES, GROUPS), xferbench_compare.cells(mine, other, NAMES, GROUPS)):
        assert frame.empty
    assert xferbench_compare.places(cells(FIRST), cells(SECOND, U), NAMES, GROUPS).empty
    assert list(xferbench_compare.cells(cells(FIRST), cells(SECOND, U), NAMES, GROUPS).columns) == xferbench_compare.CELLS
    assert np.isnan(xferbench_compare.cells(mine, mine, NAMES, GROUPS)["difference"]).all()  # one source: no spread


def test_how_options_differ_in_words() -> None:
    quick, released = preset("quick"), preset("quick", protocol="released", seed=3)
    assert xferbench_options.differences(quick, released) == [
        ("pre-training weight decay", "0.01", "0"),
        ("tuning weight decay", "0.01", "0"),
        ("protocol", "correct", "released"),
        ("texts taken in", "random order", "released"),
        ("deviation of fresh embeddings", "0.0565685", "0.02"),
    ]
    assert xferbench_options.differences(quick, preset("quick", seed=9)) == []
    found = {name: (first, second) for name, first, second in xferbench_options.differences(quick, preset("paper"))}
    assert found["model dimensions"] == ("96", "768")
    assert found["pre-training tokens"] == ("2,400,000", "15,000,000")
    assert found["tuning learning rate"] == ("0.001", "0.0001")
    assert "tuning weight decay" not in found
