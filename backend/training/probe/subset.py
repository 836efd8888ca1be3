"""Which sentences a probe is trained on: imports no torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_DRAW = 20_250_101
"""The draw is the same for all seeds of probes: they differ by their training, not by their data."""


def drawn_sentences(words: Sequence[int] | NDArray[np.int64], most: int | None) -> NDArray[np.int64]:
    """Return the sentences to train on, in ascending order, of sentences with so many `words` each.

    Whole sentences are drawn at random, the same in every call, until the next would exceed `most` words (but at least one
    that has words); None takes all.
    """
    sizes = np.asarray(words, np.int64)
    if most is None or sizes.sum() <= most:
        return np.arange(len(sizes))
    order = np.random.default_rng(_DRAW).permutation(len(sizes))
    count = max(1, int(np.searchsorted(sizes[order].cumsum(), most, side="right")))
    return np.sort(order[:count])
