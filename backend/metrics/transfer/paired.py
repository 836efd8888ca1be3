"""The paired interval of a difference of two accuracies on the same examples, from predictions alone. No torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.metrics.intervals import Z95

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]


def squares_at_most(first: ArrayLike, second: ArrayLike) -> Floats:
    """Return for each example the most that the square of its difference in accuracy can be, whatever its label is: [examples].

    `first` and `second` are predicted classes `[seeds, examples]` of two models, whose accuracy is a mean over seeds. If the
    label is c, the example adds (share of seeds that say c) − (the same of the other): the greatest square over classes. With
    two classes it is the square itself.
    """
    one, other = (np.atleast_2d(np.asarray(each, np.int64)) for each in (first, second))
    if one.shape[1] != other.shape[1]:
        raise ValueError(f"Predictions of {one.shape[1]} and {other.shape[1]} examples are not of the same ones.")
    most: Floats = np.zeros(one.shape[1])
    for label in np.union1d(one, other):
        np.maximum(most, np.square((one == label).mean(axis=0) - (other == label).mean(axis=0)), out=most)
    return most


def difference_of_accuracies(difference: float, squares: ArrayLike) -> tuple[float, float]:
    """Return the 95% interval of a `difference` of accuracies on the same n examples, −1 to 1: low and high.

    `squares` `[n]` are those of what each example adds to it (of one seed 1 where one model alone is right, else 0). Half an
    example is added to each cell of the two models' table, right and wrong, so that models that never differ have a width too.
    Source: Agresti & Min 2005 (matched pairs); for one seed it is theirs.
    """
    found = np.asarray(squares, np.float64)
    n = len(found) + 2
    middle = difference * len(found) / n
    half = Z95 * np.sqrt(max((found.sum() + 1) / n - middle**2, 0.0) / n)
    return float(np.clip(middle - half, -1, 1)), float(np.clip(middle + half, -1, 1))
