"""What each language contributes to a model's mean over languages, or over pairs of them. No torch: pages may import this.

A mean over pairs is a U-statistic of degree two in the languages: pairs that share one go up and down together, so languages,
not pairs, are what is drawn. Source: Arvesen 1969 (jackknifing U-statistics), Snijders & Borgatti 1999 (of networks).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

LEAST_OF_PAIRS = 4
"""Languages from which on what is left of pairs, without what their languages add, can be told from these."""


@dataclass(frozen=True, eq=False)
class Contributions:
    """Models' means, and what these are means of."""

    value: Floats
    """[models]"""
    each: Floats
    """[models, languages]: their mean over the languages is the value; [models, 0] where nothing says how far it varies."""
    noise: Floats
    """[models, models]: covariances of what is left of a pair without what its languages add; 0 where no pairs are counted."""
    groups: NDArray[np.intp] | None = None
    """[languages]: numbers from 0 of what is drawn as a whole, such as the families of languages; None: each by itself."""

    def __post_init__(self) -> None:
        if not all(np.isfinite(each).all() for each in (self.value, self.each, self.noise)):
            raise ValueError("Models are set side by side on numbers that all of them have: leave out what one lacks.")


def of_languages(values: ArrayLike) -> Contributions:
    """Return those of a number a language: `[models, languages]`, of the same languages in the same order.

    Raises ValueError for another shape, without languages, and for nan.
    """
    given = np.asarray(values, np.float64)
    if given.ndim != 2 or not given.size:
        raise ValueError(f"A number a model and language is [models, languages], not {list(given.shape)}.")
    return Contributions(given.mean(axis=1), given, np.zeros((len(given), len(given))))


def of_pairs(values: ArrayLike) -> Contributions:
    """Return those of a number a pair of languages: symmetric `[models, languages, languages]`, the diagonal not looked at.

    A language's is the delete-one pseudo-value of the mean over all pairs: n · mean − (n − 1) · mean without the language.
    Fewer than four languages have none. Raises ValueError for another shape, fewer than two languages, and for nan.
    """
    given = np.asarray(values, np.float64)
    if given.ndim != 3 or given.shape[1] != given.shape[2] or given.shape[1] < 2 or not len(given):
        raise ValueError(f"A number a model and pair is [models, languages, languages], not {list(given.shape)}.")
    models, n, _ = given.shape
    off = np.where(np.eye(n, dtype=bool), 0.0, given)
    of_language = off.sum(axis=2) / (n - 1)  # [models, languages]: mean over its pairs
    value = of_language.mean(axis=1)
    if n < LEAST_OF_PAIRS:
        return Contributions(value, np.zeros((models, 0)), np.zeros((models, models)))
    added = (n - 1) / (n - 2) * (of_language - value[:, None])  # what a language adds to each of its pairs
    one, other = np.triu_indices(n, 1)
    pairs = off[:, one, other]
    left = pairs - value[:, None] - added[:, one] - added[:, other]
    return Contributions(value, value[:, None] + 2 * added, left @ left.T / (n * (n - 3) / 2))
