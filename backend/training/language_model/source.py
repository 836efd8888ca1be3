"""A source corpus as windows of token ids for pre-training."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.errors import SpecError
from isogloss.backend.training.language_model import released
from isogloss.backend.training.language_model.options import is_released
from isogloss.backend.training.language_model.utterances import reorder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isogloss.backend.corpora.emergent.corpus import EmergentCorpus
    from isogloss.backend.training.language_model.options import LanguageModelOptions


def source_windows(corpus: EmergentCorpus, options: LanguageModelOptions) -> NDArray[np.int32]:
    """Return the corpus cut or repeated to the budget of pre-training, `[windows, context]`.

    Utterances follow each other with nothing between them, and windows begin anywhere in them, as in the published code.
    `options.text` says in which order: where it is that code's, so as `released.source_windows` has it, else that of
    `budget_windows`. The number of windows is the budget's, rounded up.

    Raises `SpecError` where the corpus has more symbols than the model has embeddings, `CorpusError` where the published code
    makes too little of it.
    """
    shape, tokens = options.architecture, options.pretraining.tokens
    if is_released(options.text):
        ids, shuffled = within_vocabulary(corpus, shape.vocabulary), options.text == "released-2024-12"
        return released.source_windows(ids, corpus.starts, shape.context, tokens, shuffled=shuffled)
    drawn = options.text == "random order"
    return budget_windows(corpus, shape.vocabulary, shape.context, tokens, options.seed, drawn=drawn)


def budget_windows(
    corpus: EmergentCorpus, vocabulary: int, context: int, tokens: int, seed: int, *, drawn: bool = False
) -> NDArray[np.int32]:
    """Return windows of a model with so many embeddings for symbols.

    The utterances of a corpus that is shorter than the budget are repeated as often as needed, every time in another random
    order. Of a longer one as many are taken, in a random order where they are `drawn`, else from its beginning in its own.
    """
    ids = within_vocabulary(corpus, vocabulary)
    windows = math.ceil(tokens / context)
    needed = windows * context
    if drawn or len(ids) < needed:
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
