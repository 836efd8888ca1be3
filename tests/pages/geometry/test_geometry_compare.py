"""Two checkpoints' geometry side by side: the differences are those of the files, in any measure, with their intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import isogloss
from isogloss.backend.experiments.geometry.measures import KINDS, SINCE_SINKS
from isogloss.backend.metrics.many_tests import benjamini_hochberg
from isogloss.pages.widgets.choosing import seeds
from tests.pages.abx.abx_page import CONTRAST, MLM
from tests.pages.opened import opened

OTHER = "checkpoint-0"


def both(metric: str, **more: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows of the sides and of their difference."""
    asked = {"model": [MLM], "geometry": KINDS[metric].named} | more
    beside, less = (isogloss.rows("geometry/compare", which=which, **asked) for which in (0, -1))
    return beside, less


@pytest.mark.parametrize("metric", [metric for metric in KINDS if metric not in SINCE_SINKS])
def test_a_difference_is_that_of_both_sides(metric: str) -> None:
    beside, less = both(metric, order="name")
    first, second = (str(name) for name in less.columns[2:4])
    sides = beside.set_index(["side", "language", "layer"])
    for row in less.to_dict("records"):
        one, other = (sides.loc[(side, row["language"], row["layer"])] for side in (first, second))
        assert row["difference"] == pytest.approx(one["value"] - other["value"])
        if row["interval"]:
            ends = one["low"] - other["high"], one["high"] - other["low"]
            least, most = KINDS[metric].measure.bounds
            if least is not None and most is not None:
                ends = max(ends[0], least - most), min(ends[1], most - least)
            assert (row["low"], row["high"]) == pytest.approx(ends, abs=1e-9)
    assert (less["interval"] == "widest").any()
    known = np.isfinite(less["p"])
    np.testing.assert_allclose(less["p_corrected"][known], benjamini_hochberg(less["p"][known]))


def test_what_the_intervals_are_is_said() -> None:
    page = opened("geometry", {"view": "Compare", "model": [MLM], "geometry": "CKA"})
    assert not page.exception
    captions = " ".join(each.value for each in page.caption)
    assert "Hatched, " in captions
    assert "It is the widest interval it can have" in captions
    assert "Mean over each language's pairs" in captions


def test_seeds_of_a_model_are_one_side(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seeds, "seeds_of", lambda of: dict.fromkeys(of, "Demo"))
    beside, less = both("effective_rank", model=[MLM, CONTRAST])
    assert set(less["interval"]) <= {"seeds", ""}
    assert all("Demo (2 seeds)" in str(name) for name in less.columns[2:4])
    assert beside.groupby(["side", "language", "layer"]).size().max() == 1


def test_one_checkpoint_says_what_to_choose() -> None:
    page = opened("geometry", {"view": "Compare", "model": [MLM], "checkpoints": [OTHER]})
    assert "Choose two computed checkpoints or models to compare." in " ".join(each.value for each in page.caption)
