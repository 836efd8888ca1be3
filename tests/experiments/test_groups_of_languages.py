"""Groups of languages and their means, against plain loops."""

from __future__ import annotations

import math
import statistics

import pandas as pd
import pytest
from scipy import stats

from isogloss.backend.experiments.language_groups import differ, group_of, means, with_groups


def test_a_row_has_the_group_of_its_language() -> None:
    rows = pd.DataFrame({"language": ["de", "ru", "zh-Hant", "qaf", "no language at all"], "value": range(5)})
    families = with_groups(rows, "family")["group"].fillna("none").tolist()
    assert families == ["Indo-European", "Indo-European", "Sino-Tibetan", "none", "none"]
    assert with_groups(rows, "script")["group"].tolist()[:3] == ["Latin", "Cyrillic", "Han (traditional)"]
    assert with_groups(rows, "resource level")["group"].tolist()[:3] == ["high", "medium", "high"]
    assert group_of("sv", "genus") == "Germanic"


def test_means_have_students_interval_over_the_languages() -> None:
    values, groups = [0.5, 0.7, 0.9, 0.2, math.nan, 0.4], ["a", "a", "a", "b", "b", None]
    found = means(values, groups).set_index("group")
    assert list(found.index) == ["a", "b"]
    own = [0.5, 0.7, 0.9]
    half = stats.t.ppf(0.975, 2) * statistics.stdev(own) / math.sqrt(3)
    assert found.loc["a", ["value", "low", "high", "n"]].tolist() == pytest.approx([0.7, 0.7 - half, 0.7 + half, 3])
    assert found.loc["b", "value"] == 0.2
    assert found.loc["b", "n"] == 1
    assert math.isnan(found.loc["b", "low"])  # type: ignore[arg-type]


def test_nothing_has_no_groups() -> None:
    assert means([], []).empty
    assert means([math.nan, 1.0], ["a", None]).empty
    assert math.isnan(differ([math.nan, 1.0], ["a", None]).p)
