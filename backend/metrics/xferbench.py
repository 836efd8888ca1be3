"""XferBench scores over a frame source × target: token cross-entropy in nats, lower is better.

The rows are sources (corpora that a model was pre-trained on), the columns targets (languages that it was tuned and evaluated
on), both without repetition. nan stands for what was not measured, or not yet. How far this agrees with the printed tables:
`docs/definitions.md`.
Source: Boldt & Mortensen 2024, "XferBench: a Data-Driven Benchmark for Emergent Language", section 3, appendix E and
tables 5, 7 and 8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import pandas as pd
import scipy  # its submodules load when they are first used: stats are 30 MB of a server

from isogloss.backend.metrics.intervals import mean_of_runs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

RESAMPLES = 9_999
Method = Literal["student", "bca", "percentile"]


def score(frame: pd.DataFrame) -> pd.Series:
    """Return the score of each source: the mean over all targets. Lower is better.

    A source that lacks a target has nan: targets differ by far more than sources do, so a mean over fewer of them compares
    with no other. Choose the columns to have it. Raises ValueError where a source or a target stands twice.
    """
    values = _values(frame)
    means = values.mean(axis=1) if values.shape[1] else np.full(len(values), np.nan)
    return pd.Series(means, index=frame.index, name="score")


def normalise(frame: pd.DataFrame) -> pd.DataFrame:
    """Each target's column less its mean over the sources, divided by its standard deviation (n - 1): 0 is an average source.

    A target that lies high for every source no longer outweighs another. A column's values depend on which sources are there.
    What is not a finite number becomes nan and counts for nothing. A column that has one source is nan, since it has no
    deviation; one in which the sources do not differ, beyond rounding, is 0: there, each is the average.
    Raises ValueError where a source or a target stands twice.
    """
    return pd.DataFrame(_normalised(_values(frame)), index=frame.index, columns=frame.columns)


def confidence_intervals(
    frame: pd.DataFrame, seed: int = 0, resamples: int = RESAMPLES, method: Method = "student"
) -> pd.DataFrame:
    """95% intervals of XferBench scores over targets: a row a source with `score`, `low`, `high` and `n`, its targets.

    "student": of how far a source lies from the mean of the sources, in nats, target by target, laid around the score.
    The others are the paper's (appendix E): targets are resampled in the space normalised by target, and the interval is
    mapped back as the released code does, by `seed`: "bca" (bias-corrected and accelerated, Efron 1987, the released code's)
    or "percentile". Of few targets they are too short: `docs/definitions.md`.

    Sources that lack a target have nan, and no part in the others' intervals. All are nan with one target or one source; a
    source as far from the mean in every target has no width. Raises ValueError where a source or target stands twice.
    """
    values = _values(frame)
    complete = np.isfinite(values).all(axis=1)
    scores = score(frame)
    low, high = np.full(len(values), np.nan), np.full(len(values), np.nan)
    if complete.sum() > 1 and values.shape[1] > 1:
        known = scores.to_numpy()[complete]
        own = method == "student"
        away = values[complete] - values[complete].mean(axis=0) if own else _normalised(values[complete])
        below, above = np.array([_distances(row, seed, resamples, method) for row in away]).T
        scale = 1.0 if own else known.std(ddof=1)
        low[complete], high[complete] = known - below * scale, known + above * scale
    n = np.isfinite(values).sum(axis=1)
    return pd.DataFrame({"score": scores, "low": low, "high": high, "n": n}, index=frame.index)


class Contrast(NamedTuple):
    """A difference between sources, in nats, with its 95% interval."""

    value: float
    low: float
    high: float
    n: int
    """Targets."""


def contrast(frame: pd.DataFrame, weights: Mapping[str, float], method: Method = "student") -> Contrast:
    """Return the weighted sum of the scores of some sources, such as one less another, over the targets that all of them have.

    The interval of `confidence_intervals`, of what the sum is in each target: paired, since all sources stand in it with the
    same targets, so what makes a target hard for all of them cancels where the weights add up to 0. Nothing is normalised, and
    other sources are of no account. The interval is nan with fewer than two targets, and has no width where the sum is the
    same in all. Raises `ValueError` where a source or target stands twice, `KeyError` where a source is not in the frame.
    """
    _values(frame)
    values = frame.loc[list(weights)].to_numpy(np.float64)
    sums = np.array(list(weights.values())) @ values[:, np.isfinite(values).all(axis=0)]
    if len(sums) < 2:
        return Contrast(float(sums.mean()) if len(sums) else np.nan, np.nan, np.nan, len(sums))
    below, above = _distances(sums, 0, RESAMPLES, method)
    value = float(sums.mean())
    return Contrast(value, value - below, value + above, len(sums))


def aggregate(
    frame: pd.DataFrame,
    targets: Mapping[str, str] | None = None,
    sources: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Return the mean cell of each group of sources × group of targets, in the order of the groups' names.

    `targets` and `sources` name each one's group; None keeps every one by itself, in its order. Tables 7 and 8 are
    `aggregate(normalise(human), …)` with writing systems, or their types, of both, and normalised over the human sources
    alone. All cells of a pair of groups weigh the same; cells that are nan are left out, and a pair that has no other is nan.
    Raises ValueError where a source or a target stands twice, or has no group.
    """
    _values(frame)
    cells = _grouped(_grouped(frame, sources, "source").T, targets, "target").T
    rows = list(dict.fromkeys(cells.index)) if sources is None else sorted(set(cells.index))
    columns = list(dict.fromkeys(cells.columns)) if targets is None else sorted(set(cells.columns))
    found = [[_mean_known(cells.loc[[row], [column]].to_numpy(np.float64)) for column in columns] for row in rows]
    values = np.array(found).reshape(len(rows), len(columns))
    return pd.DataFrame(values, pd.Index(rows, name=frame.index.name), pd.Index(columns, name=frame.columns.name))


def _distances(row: NDArray[np.float64], seed: int, resamples: int, method: Method) -> tuple[float, float]:
    """Return how far the interval of the row's mean reaches below and above it."""
    if np.ptp(row) <= 1e-12:  # the bias-corrected interval divides by the spread
        return 0.0, 0.0
    if method == "student":
        student = mean_of_runs(row)
        return float(student.value - student.low), float(student.high - student.value)
    kind: Literal["BCa", "percentile"] = "BCa" if method == "bca" else "percentile"
    rng = np.random.default_rng(seed)
    # The same values give the same interval, whichever target each came from and in whatever order means were summed.
    ordered = np.sort(row).round(12)
    found = scipy.stats.bootstrap((ordered,), _rounded_mean, n_resamples=resamples, method=kind, rng=rng).confidence_interval
    mean = ordered.mean()
    return float(mean - found.low), float(found.high - mean)


def _rounded_mean(values: NDArray[np.float64], axis: int = -1) -> NDArray[np.float64]:
    """With few targets many resamples are the row again: their means are ties with its own, however they are summed."""
    return np.asarray(np.mean(values, axis=axis)).round(9)


def _normalised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    columns = [_standard(column) for column in values.T]
    return np.array(columns).reshape(values.shape[1], values.shape[0]).T


def _standard(column: NDArray[np.float64]) -> NDArray[np.float64]:
    known = np.isfinite(column)
    standardised = np.full(len(column), np.nan)
    if known.sum() < 2:
        return standardised
    moved = column[known] - column[known].mean()
    if np.ptp(moved) <= 1e-13 * np.abs(column[known]).max():
        standardised[known] = 0.0
    else:
        standardised[known] = moved / moved.std(ddof=1)
    return standardised


def _grouped(frame: pd.DataFrame, groups: Mapping[str, str] | None, what: str) -> pd.DataFrame:
    """Return the frame with its rows renamed by their groups."""
    if groups is None:
        return frame
    missing = [name for name in frame.index if name not in groups]
    if missing:
        raise ValueError(f"No group for the {what} {missing[0]!r}.")
    return frame.set_axis([groups[name] for name in frame.index], axis=0)


def _mean_known(cells: NDArray[np.float64]) -> float:
    known = cells[np.isfinite(cells)]
    return float(known.mean()) if len(known) else float("nan")


def _values(frame: pd.DataFrame) -> NDArray[np.float64]:
    for what, names in (("source", frame.index), ("target", frame.columns)):
        if not names.is_unique:
            raise ValueError(f"The {what} {names[names.duplicated()][0]!r} stands twice in a frame of cross-entropies.")
    return frame.to_numpy(np.float64)
