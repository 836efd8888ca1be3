"""Which tags are taken for which, and how well each is found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class TagScores:
    """How well each tag is found, `[..., tags]`, 0 to 1, higher is better; nan where it is not defined."""

    accuracy: NDArray[np.float64]
    """The share of a tag's words that get it (recall); nan for a tag that no word has."""
    precision: NDArray[np.float64]
    """The share of the words given a tag that have it; nan for a tag never predicted."""
    f1: NDArray[np.float64]
    """Their harmonic mean, 2 · right / (words with the tag + words given it); nan for a tag neither had nor predicted."""


def confusion(predictions: ArrayLike, gold: ArrayLike, tags: int) -> NDArray[np.int64]:
    """Return the confusion matrix: how many words of each tag (rows) were given each tag (columns), `[..., tags, tags]`.

    `predictions` are `[..., words]`, `gold` `[words]`: numbers of tags, 0 to `tags - 1`. Raises ValueError for others.
    """
    said, right = np.asarray(predictions, np.int64), np.asarray(gold, np.int64)
    if right.ndim != 1 or said.ndim < 1 or said.shape[-1] != len(right):
        raise ValueError(f"Predictions [..., words] {list(said.shape)} and gold tags {list(right.shape)} do not fit.")
    for numbers in (said, right):
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < tags:
            raise ValueError(f"Tags are numbered 0 to {tags - 1}; {numbers.min()} to {numbers.max()} were given.")
    rows = said.reshape(int(np.prod(said.shape[:-1])), len(right))
    cells = np.array([np.bincount(right * tags + row, minlength=tags * tags) for row in rows], np.int64)
    return cells.reshape(*said.shape[:-1], tags, tags)


def tag_scores(matrix: ArrayLike) -> TagScores:
    """Accuracy, precision and F1 of each tag from confusion matrices `[..., tags, tags]` (rows: the right tag)."""
    counts = np.asarray(matrix, np.float64)
    right, there, said = np.diagonal(counts, axis1=-2, axis2=-1), counts.sum(-1), counts.sum(-2)
    with np.errstate(invalid="ignore", divide="ignore"):
        return TagScores(
            *(
                np.where(whole > 0, part / whole, np.nan)
                for part, whole in ((right, there), (right, said), (2 * right, there + said))
            )
        )
