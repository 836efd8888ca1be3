"""Choosing by a measure: each language's checkpoint, and each target's source (de Seyssel et al. 2025, appendices H and K)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import scipy  # its submodules load when they are first used: stats are 30 MB of a server

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Choose = Literal["lowest", "highest"]
"""Which value of the guiding measure is taken: the lowest language discrimination, the highest alignment."""
Better = Literal["higher", "lower"]
"""Which values of the outcome are good: a higher accuracy, a lower transfer gap."""
BEST = 3
"""How many sources count as the best ones (appendix K)."""
RANDOM = 100
"""Sources that the chosen one is held against, drawn at random (appendix K)."""


@dataclass(frozen=True)
class CheckpointChoice:
    """Each language's checkpoint by a guide against the last one: arrays [languages], nan or -1 for a language left out.

    A gap is the best outcome of the language at any checkpoint less the outcome at this one, counted so that 0 is the best.
    """

    chosen: NDArray[np.intp]
    best: NDArray[np.intp]
    gap_chosen: NDArray[np.float64]
    gap_last: NDArray[np.float64]
    delta: NDArray[np.float64]
    """Δ = gap of the last − gap of the chosen; above 0 the chosen checkpoint is nearer to the best."""
    languages: int
    """Languages that have both numbers at the last checkpoint and at another."""
    nearer: int
    """Of these, with Δ above 0."""
    same: int
    """With Δ = 0, such as where the last checkpoint is chosen."""
    mean: float
    """Of Δ."""
    deviation: float
    """Standard deviation of Δ over languages (n − 1)."""
    p: float
    """Wilcoxon's signed-rank test of Δ, two-sided, without languages of Δ = 0; nan where all are."""

    @property
    def is_least(self) -> bool:
        """Return whether so many languages could not give a smaller p: all signs are the same."""
        moved = self.languages - self.same
        return moved > 0 and self.nearer in (0, moved)


def choose_checkpoints(
    guide: ArrayLike, outcome: ArrayLike, *, choose: Choose = "lowest", better: Better = "higher"
) -> CheckpointChoice:
    """Take for each language the checkpoint where `guide` is lowest (or highest), the earliest of equal ones: appendix H.

    Both are [languages, checkpoints] in the order of training; a checkpoint counts for a language where both are known. A
    language needs both at the last checkpoint and at another. Raises ValueError where the two differ in shape.
    """
    by, value = _both(guide, outcome, choose, better)
    known = np.isfinite(by) & np.isfinite(value)
    enough = known[:, -1:].any(axis=1) & (known.sum(axis=1) > 1)
    rows = np.flatnonzero(enough)
    chosen = np.where(known, by, np.inf).argmin(axis=1) if by.size else np.full(len(by), -1)
    best = np.where(known, value, -np.inf).argmax(axis=1) if by.size else chosen
    gaps = np.full((2, len(by)), np.nan)
    for place, taken in enumerate((chosen[rows], np.full(len(rows), by.shape[1] - 1))):
        gaps[place, rows] = value[rows, best[rows]] - value[rows, taken]
    delta = gaps[1] - gaps[0]
    changes = delta[rows]
    moved = changes[changes != 0]  # what is taken from the same best differs by 0 exactly
    return CheckpointChoice(
        chosen=np.where(enough, chosen, -1),
        best=np.where(enough, best, -1),
        gap_chosen=gaps[0],
        gap_last=gaps[1],
        delta=delta,
        languages=len(rows),
        nearer=int((changes > 0).sum()),
        same=int((changes == 0).sum()),
        mean=_mean(changes),
        deviation=_deviation(changes),
        p=float(scipy.stats.wilcoxon(moved).pvalue) if len(moved) else math.nan,
    )


@dataclass(frozen=True)
class SourceChoice:
    """Each target's source by a guide: arrays [targets], nan or -1 for a target with fewer than two sources.

    A win is a strictly better outcome; sources as good are no wins and are counted by `ties`.
    """

    chosen: NDArray[np.intp]
    best: NDArray[np.intp]
    rank: NDArray[np.float64]
    """1 + the sources that are strictly better than the chosen one."""
    sources: NDArray[np.int64]
    """That the target has, the chosen one among them."""
    wins: NDArray[np.float64]
    """Share of the other sources that the chosen one beats: exact, 0 to 1."""
    ties: NDArray[np.float64]
    """Share of the other sources that are as good."""
    random_wins: NDArray[np.float64]
    """Share of 100 randomly drawn other sources (with replacement) that the chosen one beats, as in appendix K."""
    targets: int
    """With at least two sources."""
    is_best: int
    """Targets whose chosen source none is better than."""
    among_best: int
    """Targets whose chosen source is one of the three best."""
    mean: float
    """Of the exact shares of wins over targets."""
    deviation: float
    """Their standard deviation (n − 1)."""
    random_mean: float
    """Of the shares of random sources beaten, over targets: what appendix K prints."""
    random_deviation: float
    """Their standard deviation (n − 1)."""


def choose_sources(
    guide: ArrayLike,
    outcome: ArrayLike,
    *,
    choose: Choose = "lowest",
    better: Better = "higher",
    draws: int = RANDOM,
    seed: int = 0,
) -> SourceChoice:
    """Take for each target the source where `guide` is lowest (or highest), the first of equal ones: appendix K.

    Both are [sources, targets] over the same languages in the same order; a target is no source of itself, and a source counts
    where both are known. Raises ValueError where the two differ in shape.
    """
    by, value = _both(guide, outcome, choose, better)
    known = np.isfinite(by) & np.isfinite(value) & ~np.eye(*by.shape, dtype=np.bool_)
    count = known.sum(axis=0)
    enough = count > 1
    empty = np.full(by.shape[1], -1, np.intp)
    chosen = np.where(enough, np.where(known, by, np.inf).argmin(axis=0), -1) if len(by) else empty
    best = np.where(enough, np.where(known, value, -np.inf).argmax(axis=0), -1) if len(by) else empty
    targets = np.flatnonzero(enough)
    rank, wins, ties, random_wins = np.full((4, by.shape[1]), np.nan)
    outcomes = value[chosen[targets], targets]
    against, held = value[:, targets], known[:, targets]
    beaten = held & (against < outcomes)
    others = count[targets] - 1
    rank[targets] = 1 + (held & (against > outcomes)).sum(axis=0)
    wins[targets] = beaten.sum(axis=0) / others
    ties[targets] = ((held & (against == outcomes)).sum(axis=0) - 1) / others
    random_wins[targets] = _against_random(beaten, held, chosen[targets], draws, seed)
    return SourceChoice(
        chosen=chosen,
        best=best,
        rank=rank,
        sources=count.astype(np.int64),
        wins=wins,
        ties=ties,
        random_wins=random_wins,
        targets=len(targets),
        is_best=int((rank == 1).sum()),
        among_best=int((rank <= BEST).sum()),
        mean=_mean(wins[targets]),
        deviation=_deviation(wins[targets]),
        random_mean=_mean(random_wins[targets]),
        random_deviation=_deviation(random_wins[targets]),
    )


def _mean(values: NDArray[np.float64]) -> float:
    return float(values.mean()) if len(values) else math.nan


def _deviation(values: NDArray[np.float64]) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else math.nan


def _against_random(
    beaten: NDArray[np.bool_], held: NDArray[np.bool_], chosen: NDArray[np.intp], draws: int, seed: int
) -> NDArray[np.float64]:
    """Return for each target the share of `draws` random others that are beaten; masks are [sources, targets]."""
    places = np.arange(len(chosen))
    held = held.copy()
    held[chosen, places] = False
    first = np.argsort(~held, axis=0, kind="stable")  # a target's others come before what it lacks
    drawn = np.random.default_rng(seed).integers(0, held.sum(axis=0), (draws, len(chosen)))
    share: NDArray[np.float64] = beaten[first[drawn, places], places].mean(axis=0)
    return share


def _both(
    guide: ArrayLike, outcome: ArrayLike, choose: Choose, better: Better
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The guide turned so that the lowest is chosen, the outcome turned so that the highest is best."""
    by, value = np.asarray(guide, np.float64), np.asarray(outcome, np.float64)
    if by.shape != value.shape or by.ndim != 2:
        raise ValueError(f"Guide and outcome need two tables of one shape, not shapes {by.shape} and {value.shape}.")
    return by if choose == "lowest" else -by, value if better == "higher" else -value
