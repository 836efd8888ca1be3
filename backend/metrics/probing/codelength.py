"""Description length of tags given features, by online coding: how many bits a probe needs that learns while it transmits.

Source: Voita & Titov 2020, section 2.2.2.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

PERCENTS = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.25, 12.5, 25.0, 50.0, 100.0)
"""Where the training words are cut, in percent of them."""


def block_ends(words: int, percents: Sequence[float] = PERCENTS) -> tuple[int, ...]:
    """Return how many words have been transmitted after each block: rounded up, without blocks that would be empty.

    Raises ValueError unless the percents rise from above 0 to 100.
    """
    if not percents or percents[-1] != 100 or not all(a < b for a, b in zip((0.0, *percents), percents, strict=False)):
        raise ValueError("Percents must rise from above 0 to 100.")
    return tuple(dict.fromkeys(math.ceil(round(words * each / 100, 9)) for each in percents if words))


def description_length(first: int, tags: int, nats: ArrayLike) -> NDArray[np.float64]:
    """Return the online code's length in bits, lower is better: `first · log2(tags)` and the code of every later block.

    `first` words are sent by the uniform code, for no probe is trained yet. `nats` is `[blocks, ...]`: the sum of minus the
    log-probability, in nats, of the tags of each later block by a probe trained on all blocks before it.
    """
    return np.asarray(first * math.log2(tags) + np.asarray(nats, np.float64).sum(0) / math.log(2))


def compression(words: int, tags: int, bits: ArrayLike) -> NDArray[np.float64]:
    """The uniform code's length over the online code's, `words · log2(tags) / bits`: 1 is no regularity, higher is better.

    nan for one tag alone, which takes no bits either way.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(words * math.log2(tags) / np.asarray(bits, np.float64))
