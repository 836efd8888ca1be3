"""Rank and frequency, and the Zipf–Mandelbrot law fitted to them.

The law: the r-th most frequent of n symbols has the share (r + β)^-α / Σ over k from 1 to n of (k + β)^-α.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import optimize

from isogloss.backend.metrics.corpus.codes import entropy_bits

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

STEEPEST = 10.0
"""The largest α that is tried."""
SHIFT = 10.0
"""The largest β that is tried, in numbers of symbols."""
EXACT, STEP = 4096, 1e-3
"""Ranks up to EXACT are taken one by one, those beyond in steps of that ratio."""


@dataclass(frozen=True, eq=False)
class RankFrequency:
    """How often the symbol of each rank occurs; rank 1 is the most frequent."""

    ranks: NDArray[np.int64]
    """[points], rising"""
    counts: NDArray[np.int64]
    """[points], never rising"""


@dataclass(frozen=True)
class ZipfMandelbrot:
    """The law fitted to the symbols that occur. α and β are nan where it cannot be fitted."""

    alpha: float
    beta: float
    types: int
    """n: the symbols that occur"""
    divergence: float
    """Bits per token that are lost by taking the law for the counts (Kullback–Leibler): 0 for a perfect fit."""
    at_bound: bool
    """Whether α or β stopped where the search does (10, and 10 times `types`).

    Counts that are almost equal, or that fall off exponentially, do so: neither number then means anything by itself.
    """

    def shares(self, ranks: ArrayLike) -> NDArray[np.float64]:
        """Return the law's share of each rank, for a curve beside the counts; nan where there is no fit."""
        edges = _edges(self.types)
        total = np.diff(edges) @ (_middles(edges) + self.beta) ** -self.alpha
        return np.asarray((np.asarray(ranks, np.float64) + self.beta) ** -self.alpha / total)


def rank_frequency(counts: ArrayLike, points: int = 400) -> RankFrequency:
    """Return the counts that are not 0, from large to small, thinned by ratio to about so many points: for logarithmic axes."""
    ordered = _ordered(counts)
    if not len(ordered):
        return RankFrequency(np.empty(0, np.int64), np.empty(0, np.int64))
    ranks = np.unique(np.geomspace(1, len(ordered), points).round().astype(np.int64))
    return RankFrequency(ranks, ordered[ranks - 1])


def fit_zipf_mandelbrot(counts: ArrayLike) -> ZipfMandelbrot:
    """Zipf–Mandelbrot law: the α and β of largest likelihood for how often each symbol occurs.

    `counts` come in any order; zeros are no symbols. α is sought from 0 to 10, β from 0 to 10 times the symbols. Fewer than
    three symbols have no fit; equal counts have α = 0, for which any β is the same, and 0 is given. With few tokens a symbol α
    comes out too low. Why likelihood, and by how much: `docs/definitions.md`.
    """
    ordered = _ordered(counts)
    types, tokens = len(ordered), float(ordered.sum())
    if types < 3:
        return ZipfMandelbrot(np.nan, np.nan, types, np.nan, False)
    if ordered[0] == ordered[-1]:
        return ZipfMandelbrot(0.0, 0.0, types, 0.0, False)
    edges = _edges(types)
    shares = np.add.reduceat(ordered / tokens, edges[:-1] - 1)
    top = float(np.log1p(SHIFT * types))
    optimum = min(
        (
            optimize.minimize(
                _loss,
                start,
                args=(_middles(edges), shares, np.diff(edges).astype(np.float64)),
                jac=True,
                method="L-BFGS-B",
                bounds=[(0, STEEPEST), (0, top)],
                options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 1000},
            )
            for start in ((1.0, min(1.0, top)), (0.3, 0.2), (3.0, top / 2))
        ),
        key=lambda result: float(result.fun),
    )
    alpha, shift = (float(each) for each in optimum.x)
    lost = float(optimum.fun) / np.log(2) - entropy_bits(ordered)
    at_bound = alpha > 0.999 * STEEPEST or shift > 0.999 * top
    return ZipfMandelbrot(alpha, float(np.expm1(shift)), types, max(0.0, float(lost)), at_bound)


def _ordered(counts: ArrayLike) -> NDArray[np.int64]:
    n = np.asarray(counts, np.int64)
    return np.sort(n[n > 0])[::-1]


def _edges(types: int) -> NDArray[np.int64]:
    """Return the first rank of each bin of ranks, and the one after the last: single ranks at first, thousandths further on.

    A bin's ranks differ too little for its middle to matter: sums are right to some 1e-7, at any number of symbols.
    """
    exact = np.arange(1, min(types, EXACT) + 1)
    further = np.exp(np.arange(np.log(EXACT), np.log(max(types, 1)) + STEP, STEP)[1:])
    return np.unique(np.concatenate([exact, further.astype(np.int64).clip(1, types + 1), [types + 1]]))


def _middles(edges: NDArray[np.int64]) -> NDArray[np.float64]:
    middles: NDArray[np.float64] = (edges[:-1] + edges[1:] - 1) / 2
    return middles


def _loss(
    point: NDArray[np.float64], ranks: NDArray[np.float64], shares: NDArray[np.float64], weight: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    """Nats per token of the law at (α, log(1 + β)), and its gradient."""
    alpha, shift = float(point[0]), float(np.exp(point[1]))
    logs = np.log(ranks + (shift - 1))
    unlikely = logs - logs[0]
    weights = weight * np.exp(-alpha * unlikely)
    total = weights.sum()
    law = weights / total
    value = alpha * float(shares @ unlikely) + float(np.log(total))
    by_alpha = float(shares @ logs - law @ logs)
    inverse = 1 / (ranks + (shift - 1))
    by_shift = alpha * float(shares @ inverse - law @ inverse) * shift
    return value, np.array([by_alpha, by_shift])
