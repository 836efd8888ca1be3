"""The text of a target language: what a model is tuned on, and what is held out to score it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from backend.errors import CorpusError
from backend.training.language_model.order import in_order, tokenizer_of
from backend.training.resumable.folder import content_digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    from backend.training.language_model.options import LanguageModelOptions

AT_ONCE = 1000
"""Texts tokenised together, and in the published code also those whose tokens are joined into windows."""

RELEASED_TEXTS = 10_000
"""The published code scores this many held-out texts at most."""


@dataclass(frozen=True, eq=False)
class TargetText:
    """Token ids of a target."""

    tuning: NDArray[np.int32]
    """`[windows, context]`"""
    test: NDArray[np.int32]
    """`[tokens]`: the held-out texts one after the other."""
    held_out: tuple[int, ...]
    """Which texts are in the held-out part, by their places in what was given, in the order in which they are scored."""
    repeated: int
    """Texts that are neither tuned on nor scored because they equal a held-out one."""
    entries: int
    """Of the tokeniser; the id after its last is the end of a text."""

    def digest(self) -> str:
        """Equal for equal tokens in equal windows."""
        return content_digest([self.tuning, self.test])


def target_text(texts: Sequence[str], options: LanguageModelOptions, kept_in: Path | None = None) -> TargetText:
    """Split a target's texts, train a tokeniser and tokenise (`docs/definitions.md`, "XferBench").

    `correct`: tokeniser and tuning see no held-out text, and every text has an end. `released`: they see all texts, and tuning
    has nothing between them. `options.text` says which of them come first (`order`); what is held out does not depend on it.

    Args:
        texts: Documents, paragraphs or lines of one language. What lies within one is context for what follows in it.
        options: Vocabulary and context, budgets, share held out and protocol.
        kept_in: Folder that keeps trained tokenisers; None to train each time.

    Raises:
        CorpusError: Too little text to fill one window, or to score two tokens; for tuning where `text` is `released`, to fill
            the budget: there the published code fails.
    """
    order = np.random.default_rng(0).permutation(len(texts))  # as datasets' train_test_split(seed=0) draws them
    drawn = [int(place) for place in order[: math.ceil(options.held_out * len(texts))]]
    match options.protocol:
        case "correct":
            held_out = sorted(drawn) if options.text == "file order" else drawn
            apart = {texts[place] for place in held_out}
            tuned = [text for text in texts if text not in apart]
        case "released":
            held_out = drawn[:RELEASED_TEXTS]
            tuned = list(texts)
    tokenizer = tokenizer_of(tuned, options.text, options.architecture.vocabulary - 1, kept_in)
    taken = in_order(tuned, options.text, options.seed)
    rows, test = _tuning(taken, tokenizer, options), _test([texts[place] for place in held_out], tokenizer, options)
    if len(rows) == 0 or len(test) < 2:
        raise CorpusError(
            f"{len(texts):,} texts are too few to tune on {options.architecture.context} tokens in a row and score others.",
            remedy="Choose a longer text, or a smaller context.",
        )
    if options.text == "released" and rows.size < options.tuning.tokens:
        raise CorpusError(
            f"The released code needs {options.tuning.tokens:,} tokens to tune on; this text fills windows of {rows.size:,}.",
            remedy="Choose the protocol 'correct', or a longer text.",
        )
    repeated = len(texts) - len(tuned) - len(held_out) if options.protocol == "correct" else 0
    return TargetText(rows, test, tuple(held_out), repeated, tokenizer.get_vocab_size())


def _tuning(texts: Sequence[str], tokenizer: Tokenizer, options: LanguageModelOptions) -> NDArray[np.int32]:
    """Return the first windows of the texts' tokens, `[windows, context]`."""
    context = options.architecture.context
    windows = math.ceil(options.tuning.tokens / context)
    end = [tokenizer.get_vocab_size()] if options.protocol == "correct" else []
    found: list[NDArray[np.int32]] = []
    left = windows * context
    for group in _tokenised(texts, tokenizer):
        if left <= 0:
            break
        joined = _joined(row + end for row in group)
        found.append(joined if options.protocol == "correct" else joined[: len(joined) // context * context])
        left -= len(found[-1])
    ids = np.concatenate([np.zeros(0, np.int32), *found])
    windows = min(windows, len(ids) // context)
    return ids[: windows * context].reshape(windows, context)


def _test(texts: Sequence[str], tokenizer: Tokenizer, options: LanguageModelOptions) -> NDArray[np.int32]:
    """Return the held-out texts, each followed by an end: cut to the budget, or as published the texts until they exceed it."""
    end = [tokenizer.get_vocab_size()]
    found: list[list[int]] = []
    read = 0
    for row in chain.from_iterable(_tokenised(texts, tokenizer)):
        if read > options.evaluation_tokens:
            break
        found.append(row + end)
        read += len(found[-1])
    ids = _joined(found)
    return ids[: options.evaluation_tokens] if options.protocol == "correct" else ids


def _tokenised(texts: Sequence[str], tokenizer: Tokenizer) -> Iterator[list[list[int]]]:
    """Yield the token ids of the texts, `AT_ONCE` texts at a time."""
    for first in range(0, len(texts), AT_ONCE):
        yield [row.ids for row in tokenizer.encode_batch_fast(list(texts[first : first + AT_ONCE]), add_special_tokens=False)]


def _joined(rows: Iterable[list[int]]) -> NDArray[np.int32]:
    parts = [np.asarray(row, np.int32) for row in rows]
    return np.concatenate([np.zeros(0, np.int32), *parts])
