"""Accuracy and its kin of probes, averaged over seeds, with 95% intervals over test sentences and seeds.

Arrays end in `[seeds, words]` or `[seeds, sentences]`; axes before these (layers, say) are kept. The words of sentence i are
`begins[i]` to `begins[i + 1]`: words of one sentence are not independent, so sentences are what is resampled in thought.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy  # its submodules load when they are first used: a fifth of a command's start otherwise

from isogloss.backend.metrics.intervals import IntervalEstimates, effective_trials, wilson_interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class Score(IntervalEstimates):
    """A score averaged over seeds, with its 95% interval; nan where it is not defined."""

    seeds: NDArray[np.float64]
    """`[..., seeds]`: the score of each seed's probe."""


def accuracy(predictions: ArrayLike, gold: ArrayLike, begins: ArrayLike) -> Score:
    """Accuracy: the share of words whose tag is predicted, 0 to 1, higher is better; the mean over seeds.

    `predictions` are `[..., seeds, words]` numbers of tags, `gold` `[words]` (a number no probe knows is never right), `begins`
    `[sentences + 1]`. The interval is that of `ratio`. nan where there are no words. Raises ValueError for shapes that misfit.
    """
    right = correct(predictions, gold)
    words = np.ones(right.shape[-1], np.int64)
    return ratio(sentence_sums(right, begins), sentence_sums(words, begins))


def correct(predictions: ArrayLike, gold: ArrayLike) -> NDArray[np.bool_]:
    """Whether each of `predictions` `[..., seeds, words]` is the tag in `gold` `[words]`. Raises ValueError if they misfit."""
    said, right = np.asarray(predictions), np.asarray(gold)
    if right.ndim != 1 or said.ndim < 2 or said.shape[-1] != len(right):
        raise ValueError(f"Predictions [..., seeds, words] {list(said.shape)} and gold tags {list(right.shape)} do not fit.")
    return np.asarray(said == right)


def sentence_sums(values: ArrayLike, begins: ArrayLike) -> NDArray[np.int64]:
    """Sums of integers or booleans `[..., words]` over the words of each sentence: `[..., sentences]`.

    Raises ValueError unless `begins` goes from 0 to the number of words without falling.
    """
    each, edges = np.asarray(values), np.asarray(begins, np.int64)
    if edges.ndim != 1 or not len(edges) or edges[0] != 0 or edges[-1] != each.shape[-1] or (np.diff(edges) < 0).any():
        raise ValueError(f"Sentences must begin at 0 and end with the last of {each.shape[-1]} words, in order.")
    total = np.zeros((*each.shape[:-1], each.shape[-1] + 1), np.int64)
    np.cumsum(each, axis=-1, dtype=np.int64, out=total[..., 1:])
    return np.asarray(total[..., edges[1:]] - total[..., edges[:-1]])


def ratio(part: ArrayLike, whole: ArrayLike) -> Score:
    """Return the ratio of sums `Σ part / Σ whole` over sentences, averaged over seeds, between 0 and 1, with its 95% interval.

    `part` is `[..., seeds, sentences]`, `whole` the same or without the axes before. Accuracy has right words over words, F1
    twice the entities found over those predicted and those there. Sentences and seeds are both a sample (crossed random
    effects): the variance of the mean has a part for each. The interval is Wilson's for the number of independent trials that
    would have this variance, `value · (1 - value) / variance`, with Student's t for 1.96: unlike value ± t · error it stays
    between 0 and 1 and is not empty where every word is right (there, as many trials as sentences). With one seed it is over
    sentences alone; with one sentence it is nan, for one says nothing about how another would differ. Raises ValueError for
    shapes that misfit. Source: the effective number of trials is Korn & Graubard's (1998), the rest is ours; its coverage is
    simulated in `tests/metrics/probing`.
    """
    top, bottom = _read(part, whole)
    each, error, freedom, sentences = _estimate(top, bottom)
    value = each.mean(-1)
    low, high = wilson_interval(value, effective_trials(value, error, sentences), scipy.special.stdtrit(freedom, 0.975))
    return Score(value, low, high, each)


def difference(part: ArrayLike, whole: ArrayLike) -> Score:
    """As `ratio` for a part of either sign (a difference of counts): -1 to 1, the interval value ± t · error."""
    top, bottom = _read(part, whole)
    each, error, freedom, _ = _estimate(top, bottom)
    value, half = each.mean(-1), scipy.special.stdtrit(freedom, 0.975) * np.sqrt(error)
    return Score(value, np.clip(value - half, -1, 1), np.clip(value + half, -1, 1), each)


def selectivity(right: ArrayLike, control_right: ArrayLike, begins: ArrayLike) -> Score:
    """Selectivity: accuracy minus the accuracy of the same probe on its control task, -1 to 1, higher is better.

    Both are `[..., seeds, words]` booleans from `correct`: seeds and sentences are paired, so what both share cancels in the
    interval. Near 0 a probe learns random tags of words as well as the real ones. Source: Hewitt & Liang 2019, section 2.
    """
    first, second = np.asarray(right, np.int64), np.asarray(control_right, np.int64)
    if first.shape != second.shape:
        raise ValueError(f"Tags {list(first.shape)} and control tags {list(second.shape)} are of different words or seeds.")
    return difference(sentence_sums(first - second, begins), sentence_sums(np.ones(first.shape[-1], np.int64), begins))


def _read(part: ArrayLike, whole: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    top, bottom = np.asarray(part, np.float64), np.asarray(whole, np.float64)
    if top.ndim < 2 or not top.shape[-2] or bottom.shape != top.shape[top.ndim - bottom.ndim :]:
        raise ValueError(f"Sums [..., seeds, sentences] {list(top.shape)} and {list(bottom.shape)} do not fit.")
    return top, np.broadcast_to(bottom, top.shape)


def _estimate(
    top: NDArray[np.float64], bottom: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], int]:
    """The ratio of each seed `[..., seeds]`, the variance of their mean, its degrees of freedom, and the sentences counted.

    With z the ratio's linearised residual of each seed and sentence, the variance over sentences is that of the seeds' mean z,
    that over seeds the one of the seeds' ratios less what mere sentences-by-seeds noise would give (never below nothing).
    Degrees of freedom are Satterthwaite's.
    """
    seeds = top.shape[-2]
    counted = (bottom != 0).any(tuple(range(bottom.ndim - 1)))  # sentences without a word are none
    top, bottom = top[..., counted], bottom[..., counted]
    n = top.shape[-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        total = bottom.sum(-1)
        ratios = np.where(total > 0, top.sum(-1) / total, np.nan)
        residual = (top - ratios[..., None] * bottom) * (n / total)[..., None]
        of_sentence = residual.mean(-2)
        over_sentences = (of_sentence**2).sum(-1) / (n * (n - 1.0)) if n > 1 else np.full(ratios.shape[:-1], np.nan)
        over_seeds: Any = np.zeros_like(over_sentences)
        if seeds > 1:
            noise = ((residual - of_sentence[..., None, :]) ** 2).sum((-2, -1)) / ((seeds - 1) * max(n - 1, 1) * seeds * n)
            over_seeds = np.maximum(ratios.var(-1, ddof=1) / seeds - noise, 0)
        error = over_sentences + over_seeds
        spread = over_sentences**2 / max(n - 1, 1) + over_seeds**2 / max(seeds - 1, 1)
        freedom = np.where(spread > 0, error**2 / spread, max(n - 1, 1))
    return ratios, np.asarray(error), freedom, n
