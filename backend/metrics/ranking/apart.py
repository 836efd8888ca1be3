"""Which models can be told apart, by languages that all of them have: intervals and p-values from the sums of subsets.

If a difference is 0 in truth, the languages' contributions to it are as likely to be of either sign; then each of the 2ⁿ gaps
between the means of all subsets of the languages holds the truth as often as any other, whatever the tails (Hartigan 1969).
Differences of models that are equal are symmetric, since the two might be exchanged. Where languages of one group, such as a
family, are alike, groups are what is drawn: all of its languages are in a subset or none. No torch: pages may import this.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import scipy  # its submodules load when they are first used

from isogloss.backend.metrics.intervals import IntervalEstimate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isogloss.backend.metrics.ranking.contributions import Contributions

    Floats = NDArray[np.float64]

SUBSETS = 1023
"""How many subsets of the languages are summed: all of up to ten languages, else random ones."""
LEAST = 6
"""Languages, or groups of them, from which on there is an interval, and models can be told apart: of five, 2 of 32 signs are
above 5%."""
LEVEL = 0.05
CELLS = 1 << 21
"""Sums looked at a time."""
ROUNDING = 1e-9
"""Statistics, 0 to 1, that differ by less are equal: the same sum in another order."""


@dataclass(frozen=True, eq=False)
class Differences:
    """Models against each other, each array [models, models]: the row's value less the column's, with its 95% interval."""

    value: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class Significance:
    """Whether differences are 0, each array [models, models]: nan where fewer than six languages are there.

    `p` is of each difference by itself, `corrected` of all at once: where it is at most .05, the chance that any of these
    differences is 0, or of the other sign, is 5%.
    """

    p: Floats
    corrected: Floats


def means(of: Contributions) -> IntervalEstimate[Floats]:
    """Return each model's mean [models] with its 95% interval over languages, as if these were drawn; nan of fewer than six."""
    return IntervalEstimate(of.value, *_typical(of.value, of.each, _shrink(of.each, np.diagonal(of.noise)), _members(of)))


def differences(of: Contributions) -> Differences:
    """Return every model's mean less every other's, the same languages on both sides.

    Intervals are Hartigan's; of pairs of languages they are drawn together about the difference until they have its variance
    (`_shrink`). Each is for itself. Source: Hartigan 1969.
    """
    found = _Paired.made(of)
    low, high = _typical(found.value, found.each, found.shrink, _members(of))
    return Differences(found.square(found.value, -found.value), found.square(low, -high), found.square(high, -low))


def significance(of: Contributions) -> Significance:
    """Test every two models for a difference.

    p is the share of the sums with other signs that are as far from 0 for their size, those of the observed signs among them.
    It is corrected by the step-down maximum over all differences under the same signs, which knows that A−B and A−C share A.
    Source: Westfall & Young 1993, Romano & Wolf 2005 (randomisation tests, section 3).
    """
    found, members = _Paired.made(of), _members(of)
    none = np.full(len(found.value), np.nan)
    p, corrected = (none, none) if members is None else _shares(found.value, found.each, found.shrink, members)
    return Significance(found.square(p, p, 1.0), found.square(corrected, corrected, 1.0))


@dataclass(frozen=True, eq=False)
class _Paired:
    """Every two models, the first less the second: arrays [k]."""

    models: int
    value: Floats
    each: Floats
    """[k, languages]"""
    shrink: Floats

    @classmethod
    def made(cls, of: Contributions) -> _Paired:
        one, other = np.triu_indices(len(of.value), 1)
        value, each, own = of.value[one] - of.value[other], of.each[one] - of.each[other], np.diagonal(of.noise)
        noise = np.maximum(own[one] + own[other] - 2 * of.noise[one, other], 0.0)
        return cls(len(of.value), value, each, _shrink(each, noise))

    def square(self, upper: Floats, lower: Floats, diagonal: float = 0.0) -> Floats:
        """Return [models, models] of what is known of each two and of the same the other way round."""
        found = np.full((self.models, self.models), diagonal)
        one, other = np.triu_indices(self.models, 1)
        found[one, other], found[other, one] = upper, lower
        return found


@lru_cache(maxsize=16)
def subsets(n: int, amount: int = SUBSETS, seed: int = 0) -> NDArray[np.float64]:
    """Return which of n languages are in each of some subsets, 1 or 0: [subsets, n], none of them empty.

    All there are, where these are no more than `amount`, else `amount` random ones, each language in or out by a coin.
    """
    if 2**n - 1 <= amount:
        return np.array(list(itertools.product((0.0, 1.0), repeat=n)), np.float64).reshape(-1, n)[1:]
    drawn = np.random.default_rng(seed).random((amount, n)) < 0.5
    drawn[~drawn.any(axis=1)] = True
    return drawn.astype(np.float64)


def _members(of: Contributions) -> Floats | None:
    """Return which languages are in each of some subsets, groups as a whole: [subsets, languages]; None of fewer than six."""
    groups = np.arange(of.each.shape[1]) if of.groups is None else of.groups
    amount = len(np.unique(groups))
    return subsets(amount)[:, groups] if amount >= LEAST and len(groups) == of.each.shape[1] else None


def _shrink(each: Floats, noise: Floats) -> Floats:
    """Return by how much deviations from a mean [k] are multiplied to have its standard error; 1 for a mean over languages.

    The pseudo-values `each` [k, languages] of a mean over pairs count twice what a pair has of its own (variance `noise`):
    their variance over n is too great by 2 noise / ((n − 1)(n − 2)). What is left is no less than if languages added nothing,
    which is 2 noise / (n (n − 1)). Of its n − 1 degrees of freedom a share² is left where this is that share of the variance
    (Satterthwaite 1946): Student's quantiles say how much wider that makes it, at most as wide as it was.
    """
    n = each.shape[1]
    if n < 3:
        return np.ones_like(noise)
    plain = each.var(axis=1, ddof=1) / n
    own = np.maximum(plain - 2 * noise / ((n - 1) * (n - 2)), 2 * noise / (n * (n - 1)))
    share = np.divide(own, plain, out=np.ones_like(plain), where=plain > 0)
    shrink: Floats = np.sqrt(share)
    if not (share < 1).any():  # without scipy, which takes a while to come
        return shrink
    wider = scipy.special.stdtrit((n - 1) * np.minimum(share, 1.0) ** 2, 1 - LEVEL / 2)
    wider /= scipy.special.stdtrit(n - 1, 1 - LEVEL / 2)
    return np.where(share < 1, np.minimum(shrink * wider, 1.0), shrink)


def _typical(value: Floats, each: Floats, shrink: Floats, members: Floats | None) -> tuple[Floats, Floats]:
    """Return Hartigan's interval of each of k means: [k] from [k, languages]; nan without subsets.

    Where groups are drawn, the gaps hold the truth equally often however large each group is: a mean over a subset is above it
    exactly where the sum of what its groups lie above it is.
    """
    if members is None:
        return value * np.nan, value * np.nan
    place = LEVEL / 2 * (len(members) + 1) - 1  # as many gaps as subsets, and one
    before, share = int(place), place - int(place)
    last = len(members) - 1
    wanted = [before, before + 1, last - before - 1, last - before]
    ends = np.empty((2, len(value)))
    for some in _chunks(len(value), len(members)):
        over = members @ each[some].T / members.sum(axis=1, keepdims=True)
        a, b, c, d = np.partition(over, wanted, axis=0)[wanted]
        ends[:, some] = (1 - share) * a + share * b, share * c + (1 - share) * d
    low, high = value + shrink * (ends - value)
    return low, high


def _shares(value: Floats, each: Floats, shrink: Floats, members: Floats) -> tuple[Floats, Floats]:
    """Return p and the corrected p of k differences: [k] from [k, languages].

    The statistic is the share of the mean square that the mean's square has: it grows with |t| and is never divided by nothing.
    """
    n, square = each.shape[1], np.square(each).mean(axis=1)
    spread = np.square(shrink) * np.maximum(square - np.square(value), 0.0) + np.square(value)
    own = np.divide(np.square(value), spread, out=np.zeros_like(value), where=spread > 0)
    order = np.argsort(own, kind="stable")
    value, each, square, least = value[order], each[order], square[order], own[order] - ROUNDING
    scale = np.divide(1.0, square, out=np.zeros_like(square), where=square > 0)
    reached, reached_by_any = np.ones(len(value)), np.ones(len(value))  # the given signs, which are no subset
    for some in _chunks(len(members), len(value)):
        turned = np.square(value - members[some] @ (each.T * (2 / n))) * scale
        turned[members[some].sum(axis=1) == n] = 1.0  # all signs turned are the given ones again
        reached += (turned >= least).sum(axis=0)
        reached_by_any += (np.maximum.accumulate(turned, axis=1, out=turned) >= least).sum(axis=0)
    by_any = np.maximum.accumulate(reached_by_any[::-1])[::-1]
    place = np.argsort(order)
    return reached[place] / (len(members) + 1), by_any[place] / (len(members) + 1)


def _chunks(length: int, other: int) -> list[slice]:
    step = max(1, CELLS // max(other, 1))
    return [slice(begin, begin + step) for begin in range(0, length, step)]
