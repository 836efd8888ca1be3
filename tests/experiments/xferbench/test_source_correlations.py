"""XferBench scores beside other numbers of the same sources, against a plain slow recount; and the paper's own table 2."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.experiments.xferbench import correlations as own
from isogloss.backend.experiments.xferbench.printed import tables as published

NAMES = {"a": "Mine", "b": "Other", "c": "Random", "none": "No pre-training"}
GROUPS = {"a": "emergent", "b": "emergent", "c": "random", "none": "none"}


def slow_pearson(x: list[float], y: list[float]) -> float:
    n = len(x)
    mean_x, mean_y = sum(x) / n, sum(y) / n
    above = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return above / math.sqrt(sum((a - mean_x) ** 2 for a in x) * sum((b - mean_y) ** 2 for b in y))


def cells(rows: list[tuple[str, str, float]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["source", "target", "value"]).assign(corpus="t")


def translations(rows: list[tuple[str, str, float]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["source", "setting", "value"]).assign(metric="chrf", seeds=1)


CELLS = cells(
    [
        ("a", "fi", 5.0),
        ("a", "da", 6.0),
        ("b", "fi", 5.5),
        ("b", "da", 6.1),
        ("c", "fi", 7.0),
        ("c", "da", 8.0),
        ("none", "fi", 9.0),
    ]
)


def test_scores_are_means_over_the_targets_that_all_have() -> None:
    assert own.scores(CELLS, {"a", "b", "c", "x"}).to_dict() == pytest.approx({"a": 5.5, "b": 5.8, "c": 7.5})
    assert own.scores(CELLS, {"a", "none"}).to_dict() == {"a": 5.0, "none": 9.0}
    assert own.scores(CELLS, {"x"}).empty
    assert own.scores(cells([("a", "fi", 1.0), ("b", "da", 2.0)]), {"a", "b"}).empty


def test_a_row_for_every_source_and_setting_that_has_both() -> None:
    full = [("a", "full", 40.0), ("b", "full", 30.0), ("c", "full", 5.0), ("none", "full", 11.0), ("x", "full", 1.0)]
    frame = translations([("a", "frozen", 20.0), *full])
    bleu = frame.assign(metric="bleu", value=0.0)
    found = own.join_translation_scores(pd.concat([frame, bleu]), CELLS, NAMES, GROUPS, "chrf")
    assert [tuple(row) for row in found[["source", "name", "group", "setting", "score", "value"]].itertuples(index=False)] == [
        ("a", "Mine", "emergent", "frozen", 5.0, 20.0),  # all four share Finnish alone
        ("a", "Mine", "emergent", "full", 5.0, 40.0),
        ("b", "Other", "emergent", "full", 5.5, 30.0),
        ("c", "Random", "random", "full", 7.0, 5.0),
        ("none", "No pre-training", "none", "full", 9.0, 11.0),
    ]
    both = own.by_setting(found)
    assert list(both) == ["full", "frozen"], "in the paper's order"
    assert both["full"].value == pytest.approx(slow_pearson([5.0, 5.5, 7.0, 9.0], [40.0, 30.0, 5.0, 11.0]))
    assert (both["full"].n, both["frozen"].n) == (4, 1)
    assert math.isnan(both["frozen"].value)
    assert own.join_translation_scores(frame.iloc[:0], CELLS, NAMES, GROUPS, "chrf").empty
    assert own.by_setting(found.iloc[:0]) == {}


@given(st.lists(st.tuples(st.integers(-99, 99), st.integers(-99, 99)), min_size=0, max_size=9))
def test_a_correlation_needs_four_sources(pairs: list[tuple[int, int]]) -> None:
    x, y = (pd.Series([pair[side] for pair in pairs], dtype=float) for side in (0, 1))
    for found in (own.pearson_of(x, y), own.spearman_of(x, y)):
        assert found.n == len(pairs)
        assert math.isnan(found.value) == (len(pairs) < 4 or x.nunique() < 2 or y.nunique() < 2)
    if len(pairs) > 3 and x.nunique() > 1 and y.nunique() > 1:
        assert own.pearson_of(x, y).value == pytest.approx(slow_pearson(list(x), list(y)))


def test_the_paper_s_tables_give_the_paper_s_correlations() -> None:
    printed = published.cross_entropies().assign(corpus="table 5")
    names = {name: name for name in printed["source"]}
    groups = dict(zip(printed["source"], printed["group"], strict=True))
    frame = published.translation().assign(metric=lambda rows: rows["metric"].str.lower(), seeds=np.nan)
    found = own.by_setting(own.join_translation_scores(frame, printed, names, groups, "chrf"))
    for row in published.correlations().to_dict("records"):
        assert found[row["setting"]].value == pytest.approx(row["value"], abs=0.0051)
        assert found[row["setting"]].n == 17


def test_scores_against_a_statistic_of_the_corpora() -> None:
    overview = pd.DataFrame({"corpus": ["Mine", "Other", "Random", "Unscored"], "alpha": [1.1, np.nan, 0.2, 0.9]})
    corpora = {"a": "Mine", "b": "Other", "c": "Random", "d": "Unscored"}
    found = own.against_statistic(CELLS, overview, corpora, GROUPS, "alpha")
    assert [tuple(row) for row in found.itertuples(index=False)] == [
        ("a", "Mine", "emergent", 5.5, 1.1),
        ("c", "Random", "random", 7.5, 0.2),
    ]
    assert own.against_statistic(CELLS, overview, {"d": "Unscored"}, GROUPS, "alpha").empty
