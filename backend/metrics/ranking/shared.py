"""The numbers that all models have: which models and which languages are set side by side. No torch: pages may import this."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from isogloss.backend.metrics.ranking.contributions import Contributions, of_languages, of_pairs

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Places = NDArray[np.intp]
    Known = NDArray[np.bool_]

Over = Literal["languages", "pairs", "others"]
"""What a model's value is the mean over: languages, a number each; pairs of languages; languages, each the mean over its pairs
with the same others, such as the one source of all."""
ENOUGH = 0.5
"""Of the most languages that a model has: one with fewer is left out, lest all lose theirs."""


@dataclass(frozen=True, eq=False)
class Shared:
    """Models on the languages that all of them have."""

    models: Places
    """Which of the given ones."""
    languages: Places
    """Which of the given ones the mean is over."""
    over: Over
    others: Places
    """Over `others`: which languages these are."""
    of: Contributions


def of_numbers(values: ArrayLike) -> Shared | None:
    """Return models with a number a language, `[models, languages]`, nan where there is none; None where none has any."""
    given = np.asarray(values, np.float64)
    known = np.isfinite(given)
    models = _with_enough(known.sum(axis=1))
    languages = np.nonzero(known[models].all(axis=0))[0]
    return _found(models, languages, given[models][:, languages])


def of_squares(values: ArrayLike, *, directed: bool = False, one: int | None = None) -> Shared | None:
    """Return models with a number a pair, `[models, source, target]`, nan where there is none; None where none has any.

    Directions of a pair are averaged, as far as all models have them; the diagonal does not count. With `one`, a language, the
    mean is over its pairs. Else it is over all pairs of the languages that have every one among them; where more than half
    lack some, over targets, each the mean of its sources (`directed`), or over the languages that are paired with those that
    have the most pairs, such as English.
    """
    given = np.where(np.eye(np.shape(values)[-1], dtype=bool), np.nan, np.asarray(values, np.float64))
    paired: Known = np.isfinite(given) | np.isfinite(np.swapaxes(given, 1, 2))
    models = _with_enough((paired[:, one] if one is not None else paired.any(axis=2)).sum(axis=1))
    known: Known = np.asarray(np.isfinite(given[models]).all(axis=0))
    given = np.where(known, given[models], np.nan)
    if one is not None:
        return _with_others(models, given, known, np.array([one]), directed=False)
    either: Known = known | known.T
    languages = _complete(either)
    if 2 * len(languages) >= either.any(axis=1).sum():
        among = given[np.ix_(np.arange(len(models)), languages, languages)]
        back = np.swapaxes(among, 1, 2)
        both = bool((known == known.T)[np.ix_(languages, languages)].all())
        return _found(models, languages, (among + back) / 2 if both else _mean_of(among, back))
    most = either.sum(axis=1)
    others = np.nonzero(known.any(axis=1) if directed else most == most.max())[0]
    return _with_others(models, given, known, others, directed=directed)


def _with_others(models: Places, given: Floats, known: Known, others: Places, *, directed: bool) -> Shared | None:
    """Return each language's mean over its pairs with `others`: as their target where `directed`, else both ways."""
    rows, has = [given[:, others, :]], known[others, :].any(axis=0)
    if not directed:
        rows.append(np.swapaxes(given, 1, 2)[:, others, :])
        has = (has | known.T[others, :].any(axis=0)) & ~np.isin(np.arange(len(known)), others)
    languages = np.nonzero(has)[0]
    return _found(models, languages, _mean_of(*np.concatenate(rows, axis=1)[..., languages].swapaxes(0, 1)), others)


def _found(models: Places, languages: Places, values: Floats, others: Places | None = None) -> Shared | None:
    if not len(models) or not len(languages):
        return None
    none = np.zeros(0, np.intp)
    if values.ndim == 3:
        return Shared(models, languages, "pairs", none, of_pairs(values))
    return Shared(
        models, languages, "languages" if others is None else "others", none if others is None else others, of_languages(values)
    )


def _with_enough(counts: Places) -> Places:
    return np.nonzero(counts >= max(ENOUGH * counts.max(initial=0), 1))[0]


def _complete(either: Known) -> Places:
    """Return languages of which every two have a pair: those with the fewest pairs are left out, one at a time."""
    kept = np.nonzero(either.any(axis=1))[0]
    while len(kept):
        pairs = either[np.ix_(kept, kept)].sum(axis=1)
        if pairs.min() == len(kept) - 1:
            break
        kept = np.delete(kept, int(len(kept) - 1 - np.argmin(pairs[::-1])))
    return kept


def _mean_of(*arrays: Floats) -> Floats:
    """Return the mean of these arrays, cell by cell, over those that have a number; nan where none has."""
    total, count = np.zeros(arrays[0].shape), np.zeros(arrays[0].shape)
    for each in arrays:
        has = np.isfinite(each)
        total += np.where(has, each, 0.0)
        count += has
    mean: Floats = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return mean
