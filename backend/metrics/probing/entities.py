"""Entity F1, by the definition of `seqeval` (CoNLL's): an entity counts where its first word, last word and type are right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.metrics.probing.scores import Score, ratio, sentence_sums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray


def entity_f1(predictions: ArrayLike, gold: ArrayLike, tags: Sequence[str], begins: ArrayLike) -> Score:
    """Entity F1, 2 · found / (predicted + there), 0 to 1, higher is better: micro-averaged, the mean over seeds.

    Takes and raises what `entity_counts` does. The interval is that of `ratio`. nan where nothing is there and nothing was
    predicted, for which `seqeval` prints 0 and a warning.
    """
    return ratio(*entity_counts(predictions, gold, tags, begins))


def entity_counts(
    predictions: ArrayLike, gold: ArrayLike, tags: Sequence[str], begins: ArrayLike
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return twice the entities found in each sentence, and those predicted and those there: both `[..., seeds, sentences]`.

    `predictions` are `[..., seeds, words]` and `gold` `[words]` numbers of `tags` such as `B-PER`, `I-PER`, `O`; `begins` as in
    `accuracy`. Which tags begin and end an entity is asked of `seqeval` (default mode: an `I-` after `O` or after another type
    begins one); only the counting is ours, which is faster. Raises ValueError for shapes or numbers that misfit.
    """
    predicted, right = np.asarray(predictions, np.int64), np.asarray(gold, np.int64)
    if right.ndim != 1 or predicted.ndim < 2 or predicted.shape[-1] != len(right):
        raise ValueError(
            f"Predictions [..., seeds, words] {list(predicted.shape)} and gold tags {list(right.shape)} do not fit."
        )
    edges = np.asarray(begins, np.int64)
    rows = predicted.reshape(int(np.prod(predicted.shape[:-1])), len(right))
    there, there_first = _entities(right[None], tags, edges)
    given, given_first = _entities(rows, tags, edges)
    kinds = _types(tags)
    found = given & there & (given_first == there_first) & (kinds[rows] == kinds[right])
    shape = (*predicted.shape[:-1], len(edges) - 1)
    both = sentence_sums(given, edges).reshape(shape) + sentence_sums(there, edges)[0]
    return 2 * sentence_sums(found, edges).reshape(shape), both


def _types(tags: Sequence[str]) -> NDArray[np.int64]:
    """Return a number for the type of each tag, equal for `B-PER` and `I-PER`."""
    kinds = [_split(tag)[1] for tag in tags]
    return np.array([kinds.index(kind) for kind in kinds], np.int64)


def _split(tag: str) -> tuple[str, str]:
    """`B-PER` as seqeval reads it: `B`, and `PER`."""
    return tag[0], tag[1:].split("-", maxsplit=1)[-1] or "_"


def _entities(
    rows: NDArray[np.int64], tags: Sequence[str], begins: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return where entities end, `[rows, words]`, and for each word where the last entity to begin so far began."""
    from seqeval.metrics.sequence_labeling import end_of_chunk, start_of_chunk  # slow to import: scikit-learn

    words = rows.shape[-1]
    if rows.size and not 0 <= rows.min() <= rows.max() < len(tags):
        raise ValueError(f"Tags are numbered 0 to {len(tags) - 1}; {rows.min()} to {rows.max()} were given.")
    parts = [*map(_split, tags), ("O", "_")]  # the last stands before and after every sentence
    pairs = [[(left[0], right[0], left[1], right[1]) for right in parts] for left in parts]
    starts, ends = (np.array([[rule(*pair) for pair in line] for line in pairs]) for rule in (start_of_chunk, end_of_chunk))
    outside = len(tags)
    filled = begins[:-1][np.diff(begins) > 0]
    before = np.concatenate([np.full((len(rows), 1), outside), rows[:, :-1]], 1)[:, :words]
    after = np.concatenate([rows[:, 1:], np.full((len(rows), 1), outside)], 1)[:, -words:] if words else rows
    before[:, filled] = outside
    after[:, filled[1:] - 1] = outside
    # seqeval has what no tag began begin with the first word of all, or before it where the first sentence is empty.
    begun = np.where(starts[before, rows], np.arange(words), 0 if (begins[1:2] > 0).any() else -1)
    return ends[rows, after], np.maximum.accumulate(begun, axis=1)
