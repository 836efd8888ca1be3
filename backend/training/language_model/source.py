"""A source corpus as windows of token ids for pre-training."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from backend.errors import SpecError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from backend.corpora.emergent.corpus import EmergentCorpus
    from backend.training.language_model.options import LanguageModelOptions


def source_windows(corpus: EmergentCorpus, options: LanguageModelOptions) -> NDArray[np.int32]:
    """Return the corpus cut or repeated to the budget of pre-training, `[windows, context]`.

    Utterances follow each other with nothing between them, and windows begin anywhere in them, as in the published code. A
    corpus that is long enough is taken from its beginning, in its order; the utterances of a shorter one are repeated as often
    as needed, every time in another random order. The number of windows is the budget's, rounded up.

    Raises `SpecError` where the corpus has more symbols than the model has embeddings.
    """
    shape = options.architecture
    return budget_windows(corpus, shape.vocabulary, shape.context, options.pretraining.tokens, options.seed)


def budget_windows(corpus: EmergentCorpus, vocabulary: int, context: int, tokens: int, seed: int) -> NDArray[np.int32]:
    """`source_windows` of a model with so many embeddings for symbols."""
    ids = within_vocabulary(corpus, vocabulary)
    windows = math.ceil(tokens / context)
    needed = windows * context
    if len(ids) < needed:
        times = math.ceil(needed / len(ids))
        copies = [
            reorder(ids, corpus.starts, np.random.default_rng([seed, 1, k]).permutation(corpus.utterances))
            for k in range(times)
        ]
        ids = np.concatenate(copies)
    return ids[:needed].reshape(windows, context)


def within_vocabulary(corpus: EmergentCorpus, vocabulary: int) -> NDArray[np.int32]:
    """Return the corpus's ids `[tokens]`, renumbered in their order where one exceeds the vocabulary: ids are only names."""
    if corpus.ids.max() < vocabulary:
        return corpus.ids
    if corpus.vocabulary_size > vocabulary:
        raise SpecError(
            f"The corpus has {corpus.vocabulary_size:,} different symbols, but the model has embeddings for {vocabulary:,}. "
            "Choose a larger vocabulary."
        )
    renumbered: NDArray[np.int32] = np.unique(corpus.ids, return_inverse=True)[1].astype(np.int32)
    return renumbered


def reorder(ids: NDArray[np.int32], starts: NDArray[np.int64], order: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the utterances `ids[starts[u] : starts[u + 1]]` one after the other, in `order`."""
    lengths = np.diff(starts)[order]
    ends = np.cumsum(lengths)
    shift = np.repeat(starts[:-1][order] - (ends - lengths), lengths)  # from a place in the new order to one in the old
    found: NDArray[np.int32] = ids[np.arange(len(shift)) + shift]
    return found
