"""Differences of sources against every resample of the targets, one after the other."""

from __future__ import annotations

import math
from itertools import product
from statistics import NormalDist, fmean

import numpy as np
import pandas as pd
import pytest

from isogloss.backend.metrics.xferbench import contrast


def frame(seed: int, targets: int = 5, sources: str = "abcd") -> pd.DataFrame:
    """Sources that differ by little between targets that differ by much."""
    draw = np.random.default_rng(seed)
    values = (
        draw.normal(0, 1.5, targets) + draw.normal(0, 0.1, (len(sources), targets)) + 0.05 * np.arange(len(sources))[:, None]
    )
    return pd.DataFrame(values, index=list(sources), columns=range(targets))


def sums_of(cells: pd.DataFrame, weights: dict[str, float]) -> list[float]:
    return [sum(weight * cells.loc[source, target] for source, weight in weights.items()) for target in cells.columns]


def every_mean(values: list[float]) -> list[float]:
    return sorted(fmean(values[place] for place in places) for places in product(range(len(values)), repeat=len(values)))


def accelerated(values: list[float], means: list[float]) -> list[float]:
    """The shares of the means at which Efron's interval ends."""
    own, normal, n = fmean(values), NormalDist(), len(values)
    below = sum(mean < own - 1e-12 for mean in means) + sum(abs(mean - own) <= 1e-12 for mean in means) / 2
    bias = normal.inv_cdf(below / len(means))
    without = [fmean(values[:place] + values[place + 1 :]) for place in range(n)]
    away = [fmean(without) - each for each in without]
    skew = sum(each**3 for each in away) / (6 * sum(each**2 for each in away) ** 1.5)
    found = []
    for share in (0.025, 0.975):
        moved = bias + normal.inv_cdf(share)
        found.append(normal.cdf(bias + moved / (1 - skew * moved)))
    return found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("weights", [{"a": 1, "b": -1}, {"a": 0.5, "b": 0.5, "c": -0.5, "d": -0.5}], ids=["pair", "groups"])
def test_an_interval_ends_where_those_of_all_resamples_do(seed: int, weights: dict[str, float]) -> None:
    cells = frame(seed)
    values = sums_of(cells, weights)
    means = every_mean(values)
    for method, shares in (("percentile", [0.025, 0.975]), ("bca", accelerated(values, means))):
        found = contrast(cells, weights, method=method)  # type: ignore[arg-type]
        assert (found.value, found.n) == (pytest.approx(fmean(values)), 5)
        for end, share in zip((found.low, found.high), shares, strict=True):
            least, most = (means[min(len(means) - 1, max(0, round((share + step) * len(means))))] for step in (-0.01, 0.01))
            assert least - 1e-9 <= end <= most + 1e-9


def test_what_all_sources_find_hard_cancels_and_others_are_of_no_account() -> None:
    cells = frame(1)
    harder = cells + np.array([0, 3.0, 0, -2.0, 7.0])
    one, other = contrast(cells, {"a": 1, "b": -1}), contrast(harder, {"a": 1, "b": -1})
    assert other == pytest.approx(one, abs=1e-9)
    assert contrast(cells.loc[["b", "a"]], {"a": 1, "b": -1}) == one
    assert contrast(cells, {"b": 1, "a": -1}).value == pytest.approx(-one.value)


def test_ties_one_target_and_none() -> None:
    cells = frame(2)
    cells.loc["b"] = cells.loc["a"]
    assert contrast(cells, {"a": 1, "b": -1}) == pytest.approx((0.0, 0.0, 0.0, 5))
    cells.loc["c"] = cells.loc["a"] - 0.25
    assert contrast(cells, {"c": 1, "a": -1}) == pytest.approx((-0.25, -0.25, -0.25, 5))
    single = contrast(cells[[3]], {"c": 1, "a": -1})
    assert single == pytest.approx((-0.25, math.nan, math.nan, 1), nan_ok=True)
    cells.loc["a", [0, 1]] = math.nan
    assert contrast(cells, {"c": 1, "a": -1}).n == 3
    cells.loc["a"] = math.nan
    assert contrast(cells, {"c": 1, "a": -1}) == pytest.approx((math.nan, math.nan, math.nan, 0), nan_ok=True)
    with pytest.raises(KeyError):
        contrast(cells, {"nobody": 1})
