"""Paired intervals of differences from what each sentence adds to both sides: of ratios of sums, and of shares. No torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy  # its submodules load when they are first used

from isogloss.backend.metrics.intervals import Bounds, bounds_of_difference, within

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Sums = tuple[ArrayLike, ArrayLike]
    """`[..., sentences]`: what is counted, and out of what."""

SHARES: Bounds = (0.0, 1.0)


def of_sentences(
    difference: ArrayLike, added: ArrayLike, differ: ArrayLike, by_seed: ArrayLike | None = None, bounds: Bounds = SHARES
) -> tuple[Floats, Floats, Floats]:
    """Return the 95% interval of differences `[...]` of means over the same n sentences: low, high, degrees of freedom.

    `added` `[..., sentences]` is what each sentence adds, its mean one difference; `differ` where it adds something of its own.
    Half a sentence is added on either side that differs as those that do (their root mean square; one sentence as a whole
    where none does), so that sides that never differ have a width too. Where the difference is a mean over seeds, of which one
    has `added`, `by_seed` `[..., seeds]` are those of each: its variance over sentences is then that of one seed, which that of
    the mean does not exceed, and the variance between seeds comes on top, so that this is the widest that it would be. The
    quantile is Student's, of Satterthwaite's degrees of freedom. nan for fewer than two sentences.
    Source: Agresti & Min 2005 (matched pairs, here sentences); Satterthwaite 1946; how a sentence differs: our choice.
    """
    middle, each, own = np.asarray(difference, np.float64), np.asarray(added, np.float64), np.asarray(differ, bool)
    n, count = each.shape[-1], own.sum(-1)
    if n < 2:
        nothing = np.full(middle.shape, np.nan)
        return nothing, nothing.copy(), nothing.copy()
    typical = np.divide(np.where(own, np.square(each), 0.0).sum(-1), count, out=np.ones(middle.shape), where=count > 0)
    variance = (np.square(each - each.mean(-1, keepdims=True)).sum(-1) + typical) / (n * (n - 1))
    parts = np.square(variance) / (n - 1)
    if by_seed is not None and (seeds := np.asarray(by_seed, np.float64)).shape[-1] > 1:
        between = seeds.var(-1, ddof=1) / seeds.shape[-1]
        parts = parts + np.square(between) / (seeds.shape[-1] - 1)
        variance = variance + between
    freedom = np.divide(np.square(variance), parts, out=np.full(middle.shape, n - 1.0), where=parts > 0)
    half = scipy.special.stdtrit(freedom, 0.975) * np.sqrt(variance)
    shrunk = middle * n / (n + 2)
    low, high = within(shrunk - half, shrunk + half, bounds_of_difference(bounds))
    return np.minimum(low, middle), np.maximum(high, middle), freedom


def of_ratios(
    difference: ArrayLike, first: Sums, second: Sums, by_seed: ArrayLike | None = None
) -> tuple[Floats, Floats, Floats]:
    """Return `of_sentences` of differences `[...]` of two ratios Σ part / Σ whole over the same sentences.

    Each side is (part, whole), `[..., sentences]` of one seed: right words and words, of F1 twice the entities found and those
    predicted and there. A sentence adds each ratio's linearised value, r + (part − r · whole) · n / Σ whole, of the first less
    that of the second. nan where a whole is 0.
    """
    sides = [[np.asarray(sums, np.float64) for sums in side] for side in (first, second)]
    shape = np.broadcast_shapes(*(sums.shape for side in sides for sums in side))
    (part, whole), (its_part, its_whole) = ([np.broadcast_to(sums, shape) for sums in side] for side in sides)
    added = _linearised(part, whole) - _linearised(its_part, its_whole)
    return of_sentences(difference, added, (part != its_part) | (whole != its_whole), by_seed)


def _linearised(part: Floats, whole: Floats) -> Floats:
    """Return for each sentence a value whose mean is the ratio, and whose variance over n is the ratio's."""
    with np.errstate(divide="ignore", invalid="ignore"):
        total = whole.sum(-1, keepdims=True)
        ratio = np.where(total > 0, part.sum(-1, keepdims=True) / total, np.nan)
        found: Floats = ratio + (part - ratio * whole) * part.shape[-1] / total
    return found
