"""What a probe's accuracy is held against: control tasks, the most frequent tag, and that of each word."""

from __future__ import annotations

from collections import Counter
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray


def control_tags(words: Sequence[str], distribution: ArrayLike, seed: int = 0) -> NDArray[np.int64]:
    """The control task's tag of each word: every word type has one tag, drawn at random from `distribution` and then fixed.

    `distribution` is `[tags]`: how often each tag occurs among the training words (counts or shares). A word type is its exact
    string. The draw depends on the word, the seed and the distribution alone, so a type has the same tag in training and
    test, whatever other words there are. Raises ValueError for a distribution that is empty, negative, not finite, or all zero.
    Source: Hewitt & Liang 2019, section 2; that the draw is from the training words' tags is in their released code.
    """
    shares = np.asarray(distribution, np.float64)
    if shares.ndim != 1 or not len(shares) or not np.isfinite(shares).all() or (shares < 0).any() or shares.sum() == 0:
        raise ValueError("A control task needs how often each tag occurs: [tags], not negative, not all zero.")
    edges = shares.cumsum() / shares.sum()
    edges[-1] = 1.0
    types = {word: _uniform(word, seed) for word in dict.fromkeys(words)}
    drawn = np.array([types[word] for word in words], np.float64)
    return np.searchsorted(edges, drawn, side="right").astype(np.int64)


def tag_distribution(labels: ArrayLike, tags: int) -> NDArray[np.int64]:
    """How often each of `tags` tags occurs among `labels`, `[tags]`. Raises ValueError for labels outside 0 to `tags - 1`."""
    numbers = np.asarray(labels, np.int64)
    if len(numbers) and not 0 <= numbers.min() <= numbers.max() < tags:
        raise ValueError(f"Tags are numbered 0 to {tags - 1}; {numbers.min()} to {numbers.max()} were given.")
    return np.bincount(numbers, minlength=tags)


def majority_tag(labels: ArrayLike) -> int:
    """The most frequent of the training `labels`; the lowest number of equally frequent ones. Raises ValueError without any."""
    numbers = np.asarray(labels, np.int64)
    if not len(numbers):
        raise ValueError("There is no most frequent tag of no words.")
    return int(np.bincount(numbers).argmax())


def word_majority_tags(words: Sequence[str], labels: ArrayLike, test: Sequence[str]) -> NDArray[np.int64]:
    """For each word of `test` the tag it has most often in training; the overall most frequent one for a word not seen there.

    `words` and `labels` are the training part's. A word is its exact string; of equally frequent tags the one that is more
    frequent overall counts, then the lowest number. Raises ValueError where words and labels differ in number, or are none.
    """
    numbers = np.asarray(labels, np.int64).tolist()
    overall = Counter(numbers)
    fallback = majority_tag(numbers)
    best: dict[str, tuple[tuple[int, int, int], int]] = {}
    for (word, tag), count in Counter(zip(words, numbers, strict=True)).items():
        rank = (count, overall[tag], -tag)
        if word not in best or rank > best[word][0]:
            best[word] = (rank, tag)
    return np.array([best[word][1] if word in best else fallback for word in test], np.int64)


def _uniform(word: str, seed: int) -> float:
    """Return a number from 0 up to 1 that is drawn by the word's characters and the seed."""
    hashed = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8, key=seed.to_bytes(8, "little")).digest()
    return (int.from_bytes(hashed, "little") >> 11) / 2**53
