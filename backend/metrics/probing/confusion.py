"""Which tags are taken for which."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def confusion(predictions: ArrayLike, gold: ArrayLike, tags: int) -> NDArray[np.int64]:
    """Return the confusion matrix: how many words of each tag (rows) were given each tag (columns), `[tags, tags]`.

    `predictions` and `gold` are `[words]`: numbers of tags, 0 to `tags - 1`. Raises ValueError for others.
    """
    told, right = np.asarray(predictions, np.int64), np.asarray(gold, np.int64)
    if right.ndim != 1 or told.shape != right.shape:
        raise ValueError(f"Predictions {list(told.shape)} and gold tags {list(right.shape)} do not fit.")
    for numbers in (told, right):
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < tags:
            raise ValueError(f"Tags are numbered 0 to {tags - 1}; {numbers.min()} to {numbers.max()} were given.")
    return np.bincount(right * tags + told, minlength=tags * tags).reshape(tags, tags)


def shares(matrix: NDArray[np.int64]) -> NDArray[np.float64]:
    """Divide each row of a confusion matrix by the words of its tag: `[tags, tags]`, nan for a tag without words."""
    with np.errstate(invalid="ignore"):
        return np.asarray(matrix / matrix.sum(1, keepdims=True))
