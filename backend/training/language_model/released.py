"""Which tokens the published code of XferBench trains on: at the paper's tag, and since 11 December 2024.

Source: https://github.com/brendon-boldt/xferbench, `model/common.py` and `model/clm.py`. At the tag `naacl24` and until then it
calls `shuffle` on sources and drops the result, so a text stands in its data set's order. Shuffled are the texts that a
tokeniser is trained on, and a source that has to be repeated. Since then every text is shuffled, a target's too.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.errors import CorpusError
from isogloss.backend.training.language_model.utterances import reorder

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOKENIZER_TEXTS = 10_000
"""Tokenisers are trained on the first so many articles."""
SOURCE_TEXTS = 15_000
"""Of a human source the first so many articles are read."""
AT_ONCE = 1000
"""Utterances whose tokens are joined and cut into windows; what does not fill the last window is dropped."""


def shuffle(rows: int, seed: int) -> NDArray[np.int64]:
    """Return the order in which `datasets`' `shuffle(seed=…)` puts so many rows."""
    return np.random.default_rng(seed).permutation(rows)


def source_windows(
    ids: NDArray[np.int32], starts: NDArray[np.int64], context: int, tokens: int, *, shuffled: bool = False
) -> NDArray[np.int32]:
    """Return the first windows that reach a budget of `tokens`, `[windows, context]`.

    Args:
        ids: `[tokens]`
        starts: `[utterances + 1]`, where utterances begin in `ids`.
        context: Tokens of a window.
        tokens: The budget. A corpus that has fewer is repeated, every time in another order.
        shuffled: As since December 2024: so is one that has as many, as often as is enough whatever is dropped; mostly once.

    Raises `CorpusError` where that code fails: what it drops at the ends leaves too little.
    """
    utterances, needed = len(starts) - 1, math.ceil(tokens / context)
    as_it_is = len(ids) >= tokens and not shuffled
    order = np.arange(utterances) if as_it_is else _repeated(len(ids), utterances, context, tokens)
    windows_of_blocks: list[NDArray[np.int32]] = []
    windows = 0
    for first in range(0, len(order), AT_ONCE):
        if windows >= needed:
            break
        joined = reorder(ids, starts, order[first : first + AT_ONCE])
        windows_of_blocks.append(joined[: len(joined) // context * context].reshape(-1, context))
        windows += len(windows_of_blocks[-1])
    if windows < needed:
        raise _too_short(len(ids), tokens)
    return np.concatenate(windows_of_blocks)[:needed]


def _repeated(length: int, utterances: int, context: int, tokens: int) -> NDArray[np.int64]:
    """Return the utterances of as many repetitions as are enough whatever is dropped in each."""
    sure = length - (utterances // AT_ONCE + 1) * (context - 1)
    if sure <= 0:
        raise _too_short(length, tokens)
    return np.concatenate([shuffle(utterances, seed) for seed in range(tokens // sure + 1)])


def _too_short(length: int, tokens: int) -> CorpusError:
    return CorpusError(
        f"The released code cannot make {tokens:,} tokens of this corpus of {length:,}: it drops what does not fill the last "
        "window of every 1,000 utterances.",
        remedy="Choose the protocol 'correct', or a longer corpus.",
    )
