"""How a tokeniser cuts the languages of a parallel corpus: ratios of counts, premiums, shared pieces. No torch.

Ratios are of sums over sentences, as fertility is (Rust et al. 2021, "How Good is Your Tokenizer?") and the premium (Petrov et
al. 2023, "Language Model Tokenizers Introduce Unfairness Between Languages", whose released code counts a whole corpus at
once), with intervals from the delete-one jackknife over sentences; the intervals are our choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.metrics.intervals import Z95, IntervalEstimates, effective_trials, wilson_interval
from isogloss.backend.metrics.jackknife import standard_error

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]


def ratio(above: ArrayLike, below: ArrayLike) -> IntervalEstimates:
    """Return Σ above / Σ below of `[…, sentences]` with its 95% interval: arrays `[…]`.

    The interval is normal on the scale of logarithms, with the standard error of the delete-one jackknife over sentences: it
    stays above 0, and that of below / above is its inverse. nan where Σ below is 0; without an interval where there are fewer
    than three sentences, or where some one sentence has all of either sum.
    """
    over, under = np.asarray(above, np.float64), np.asarray(below, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = over.sum(-1) / under.sum(-1)
        error = standard_error(_log_without(over) - _log_without(under))
    value = np.where(np.isfinite(value), value, np.nan)
    return _on_log_scale(value, np.where(over.shape[-1] > 2, error, np.nan))


def share(part: ArrayLike, of: ArrayLike) -> IntervalEstimates:
    """Return the share Σ part / Σ of, of `[…, sentences]` (part ≤ of), with its 95% interval: arrays `[…]`.

    Wilson's, of as many trials as would have the jackknife's variance over sentences (`effective_trials`), at most Σ of. nan
    where Σ of is 0; without an interval where there are fewer than three sentences.
    """
    some, whole = np.asarray(part, np.float64), np.asarray(of, np.float64)
    total = whole.sum(-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.where(total > 0, some.sum(-1) / total, np.nan)
        without = (some.sum(-1, keepdims=True) - some) / (total[..., None] - whole)
    error = np.where(whole.shape[-1] > 2, standard_error(without), np.nan)
    trials = np.where(np.isnan(error), np.nan, np.minimum(effective_trials(value, error**2, total), total))
    return IntervalEstimates(value, *wilson_interval(value, trials))


def premiums(pieces: ArrayLike) -> IntervalEstimates:
    """Return the premium of each language to each: arrays `[languages, languages]`, row: language, column: the pivot.

    `pieces` `[languages, sentences]` are counts of the same sentences in each language; the premium of A to B is
    Σ pieces of A / Σ pieces of B (Petrov et al. 2023), with the interval of `ratio`: sentences are left out of both
    at once. nan against a language without pieces; 1 on the diagonal.
    """
    counts = np.asarray(pieces, np.float64)
    n, totals = counts.shape[-1], counts.sum(-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = totals[:, None] / totals[None]
        logs = _log_without(counts)
        away = logs - logs.mean(-1, keepdims=True)
        products = away @ away.T
        variance = (n - 1) / n * (np.diag(products)[:, None] + np.diag(products)[None] - 2 * products)
    error = np.sqrt(np.maximum(variance, 0.0)) if n > 2 else np.full_like(value, np.nan)
    return _on_log_scale(np.where(np.isfinite(value), value, np.nan), error)


def _log_without(counts: Floats) -> Floats:
    """Return the logarithm of the sum over all sentences but one `[…, sentences]`; nan where nothing is left."""
    left = counts.sum(-1, keepdims=True) - counts
    return np.log(np.where(left > 0, left, np.nan))


def _on_log_scale(value: Floats, error: Floats) -> IntervalEstimates:
    with np.errstate(over="ignore", invalid="ignore"):
        return IntervalEstimates(value, value * np.exp(-Z95 * error), value * np.exp(Z95 * error))


@dataclass(frozen=True, eq=False)
class Shared:
    """What two languages have in common of a vocabulary: arrays `[languages, languages]`, 1 on the diagonal."""

    types: NDArray[np.float64]
    """Pieces that both use, of those that either uses (Jaccard)."""
    use: NDArray[np.float64]
    """The same weighted by how often each uses them: Σ min(p, q) / Σ max(p, q) of their relative frequencies."""


def shared(used: Sequence[Mapping[int, int]]) -> Shared:
    """Return how far languages share their pieces; `used` is, for each, how often it has which piece. nan for one without any.

    Jaccard 1901, and its weighted form (Ruzicka 1958): s / (2 − s), where s is how much of two running texts is common.
    """
    columns = {piece: place for place, piece in enumerate(sorted({piece for each in used for piece in each}))}
    shares = np.zeros((len(used), len(columns)), np.float32)
    for own_shares, each in zip(shares, used, strict=True):
        own_shares[[columns[piece] for piece in each]] = list(each.values())
    totals = shares.sum(1, keepdims=True, dtype=np.float64)
    there = (shares > 0).astype(np.float32)
    np.divide(shares, totals, out=shares, where=totals > 0)
    both = (there @ there.T).astype(np.float64)
    sizes = np.diag(both)
    common = np.zeros_like(both)
    for row in range(len(used)):
        own = np.flatnonzero(shares[row])  # what the others have besides is not in common
        common[row, row:] = common[row:, row] = np.minimum(shares[row, own], shares[row:, own]).sum(1, dtype=np.float64)
    known = np.where((sizes[:, None] > 0) & (sizes[None] > 0), 1.0, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        return Shared(known * both / (sizes[:, None] + sizes[None] - both), known * common / (2 - common))
