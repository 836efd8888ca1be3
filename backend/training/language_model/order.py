"""Which texts of a language are taken first, where there are more than a budget, and which its tokeniser is trained on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.training.language_model import released
from isogloss.backend.training.language_model.tokenizer import cached_bpe

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tokenizers import Tokenizer

    from isogloss.backend.training.language_model.options import Text

BY_SEED, FOR_TOKENIZER = 5, 6
"""Streams of random numbers (`run.STREAMS` has the others)."""


def in_order(texts: Sequence[str], text: Text, seed: int) -> Sequence[str]:
    """Return the texts in the order in which they are taken: by a draw of the seed, as they are, or as published code shuffles.

    That is of a target's text. Of a source it shuffles the first articles, and repeats them so (`released.source_windows`).
    """
    match text:
        case "random order":
            return _drawn(texts, [seed, BY_SEED])
        case "released-2024-12":
            return [texts[place] for place in released.shuffle(len(texts), 0)]
        case _:
            return texts


def tokenizer_of(texts: Sequence[str], text: Text, vocabulary: int, kept_in: Path | None) -> Tokenizer:
    """Return the tokeniser of a language, whatever the seed: `cached_bpe` of the texts that it is trained on."""
    match text:
        case "file order":
            return cached_bpe(texts, vocabulary, kept_in)
        case "random order":
            return cached_bpe(_drawn(texts, [0, FOR_TOKENIZER]), vocabulary, kept_in)
        case "released" | "released-2024-12":
            first = texts[: released.TOKENIZER_TEXTS]
            chosen = [first[place] for place in released.shuffle(len(first), 0)]
            return cached_bpe(chosen, vocabulary, kept_in, characters=None)


def _drawn(texts: Sequence[str], seed: list[int]) -> list[str]:
    return [texts[place] for place in np.random.default_rng(seed).permutation(len(texts))]
