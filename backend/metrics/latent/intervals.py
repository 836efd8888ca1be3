"""95% intervals of means over words: a percentile bootstrap, which draws words. No torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.metrics.intervals import IntervalEstimate

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from isogloss.backend.metrics.intervals import IntervalEstimates

RESAMPLES = 2_000
"""Draws of as many words, with replacement."""


def mean_over_words(values: ArrayLike, *, seed: int = 0, resamples: int = RESAMPLES) -> tuple[IntervalEstimates, int]:
    """Return the mean of `values [words, …]` over words with its percentile bootstrap interval, and how many words there are.

    A word that has a nan anywhere is left out, for all alike: the means then are of the same words. Without a word all is nan;
    of one word the interval is nan. Words are drawn, the same ones for every mean, and not prompts' examples or layers. Source:
    Efron & Tibshirani 1993, chapter 13; Wendler et al.'s released code has it beside mean ± 1.96 standard errors.
    """
    each = np.asarray(values, np.float64)
    flat = each.reshape(len(each), -1)
    flat = flat[np.isfinite(flat).all(axis=1)]
    n, shape = len(flat), each.shape[1:]
    nothing = np.full(flat.shape[1], np.nan)
    mean, low, high = (flat.mean(axis=0) if n else nothing), nothing, nothing
    if n > 1:
        drawn = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=resamples) / n
        low, high = np.quantile(drawn @ flat, (0.025, 0.975), axis=0)
    estimate = IntervalEstimate(*(end.reshape(shape) for end in (mean, low, high)))
    return estimate, n
