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


def test_means_over_pairs_have_the_interval_that_counts_partners() -> None:
    """Of pairs to which each language adds, by hand: of 6 languages in groups of 3, 2 and one of none."""
    added, groups = [0.1, 0.5, -0.4, 0.3, 0.0, 0.9], ["a", "a", "a", "b", "b", None]
    values = [statistics.mean(one + other for j, other in enumerate(added) if j != i) for i, one in enumerate(added)]
    found = means([*values, math.nan], [*groups, "a"], over_pairs=True).set_index("group")
    for group, n in (("a", 3), ("b", 2)):
        own, others = (
            [value for value, each in zip(values, groups, strict=True) if (each == group) is inside] for inside in (True, False)
        )
        spread = (
            math.sqrt(statistics.variance(own) * (1 + n / 4) ** 2 / n),
            math.sqrt(len(others) * statistics.variance(others)) / 4,
        )
        half = math.hypot(stats.t.ppf(0.975, n - 1) * spread[0], stats.t.ppf(0.975, max(n, 6 - n) - 1) * spread[1])
        mean = statistics.mean(own)
        assert found.loc[group, ["value", "low", "high", "n"]].tolist() == pytest.approx([mean, mean - half, mean + half, n])
    cut = means(values, groups, (-1.0, 1.0), over_pairs=True).set_index("group")
    assert cut.loc["b", ["low", "high"]].tolist() == [-1, 1]


def test_nothing_has_no_groups() -> None:
    assert means([], []).empty
    assert means([math.nan, 1.0], ["a", None]).empty
    assert math.isnan(differ([math.nan, 1.0], ["a", None]).p)
