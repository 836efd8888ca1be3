"""The text of a target language: what a model is tuned on, and what is held out to score it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.errors import CorpusError
from isogloss.backend.training.language_model import released
from isogloss.backend.training.language_model.options import is_released
from isogloss.backend.training.language_model.order import BY_SEED, in_order, tokenizer_of
from isogloss.backend.training.language_model.utterances import reorder, starts_of
from isogloss.backend.training.resumable.folder import content_digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    from isogloss.backend.training.language_model.options import LanguageModelOptions

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
    once: int
    """Tokens of the tuning text as it is, where it was repeated to fill the budget; else those of `tuning`."""

    def digest(self) -> str:
        """Equal for equal tokens in equal windows."""
        return content_digest([self.tuning, self.test])


def target_text(texts: Sequence[str], options: LanguageModelOptions, kept_in: Path | None = None) -> TargetText:
    """Split a target's texts, train a tokeniser and tokenise (`docs/definitions.md`, "XferBench").

    Tokeniser and tuning see no held-out text, and every text has an end. Texts that do not fill the budget of tuning are
    repeated where the protocol is `printed`, each time in another order of the seed. In those of the published code tokeniser
    and tuning see all texts, and tuning has nothing between them. `options.text` says which of them come first (`order`); what
    is held out does not depend on it.

    Args:
        texts: Documents, paragraphs or lines of one language. What lies within one is context for what follows in it.
        options: Vocabulary and context, budgets, share held out and protocol.
        kept_in: Folder that keeps trained tokenisers; None to train each time.

    Raises:
        CorpusError: Too little text to fill one window, or to score two tokens; for tuning where `text` is that code's, to fill
            the budget: there the published code fails.
    """
    order = np.random.default_rng(0).permutation(len(texts))  # as datasets' train_test_split(seed=0) draws them
    drawn = [int(place) for place in order[: math.ceil(options.held_out * len(texts))]]
    if is_released(options.protocol):
        held_out, tuned = drawn[:RELEASED_TEXTS], list(texts)
    else:
        held_out = sorted(drawn) if options.text == "file order" else drawn
        apart = {texts[place] for place in held_out}
        tuned = [text for text in texts if text not in apart]
    tokenizer = tokenizer_of(tuned, options.text, options.architecture.vocabulary - 1, kept_in)
    taken = in_order(tuned, options.text, options.seed)
    (rows, once), test = _tuning(taken, tokenizer, options), _test([texts[place] for place in held_out], tokenizer, options)
    if len(rows) == 0 or len(test) < 2:
        raise CorpusError(
            f"{len(texts):,} texts are too few to tune on {options.architecture.context} tokens in a row and score others.",
            remedy="Choose a longer text, or a smaller context.",
        )
    if is_released(options.text) and rows.size < options.tuning.tokens:
        raise CorpusError(
            f"The released code needs {options.tuning.tokens:,} tokens to tune on; this text fills windows of {rows.size:,}.",
            remedy="Choose the protocol 'correct' or 'printed', or a longer text.",
        )
    repeated = 0 if is_released(options.protocol) else len(texts) - len(tuned) - len(held_out)
    return TargetText(rows, test, tuple(held_out), repeated, tokenizer.get_vocab_size(), once)


def _tuning(texts: Sequence[str], tokenizer: Tokenizer, options: LanguageModelOptions) -> tuple[NDArray[np.int32], int]:
    """Return the first windows of the texts' tokens, `[windows, context]`, and `TargetText.once`."""
    context = options.architecture.context
    needed = math.ceil(options.tuning.tokens / context) * context
    cut = is_released(options.protocol)
    end = [] if cut else [tokenizer.get_vocab_size()]
    token_blocks: list[NDArray[np.int32]] = []
    lengths: list[int] = []
    filled = 0
    for group in _tokenised(texts, tokenizer):
        if filled >= needed:
            break
        joined = _joined(row + end for row in group)
        lengths += [len(row) + len(end) for row in group]
        token_blocks.append(joined)
        filled += len(joined) // context * context if cut else len(joined)
    if 0 < filled < needed and options.protocol == "printed":
        return _repeated(_joined(token_blocks), lengths, needed, options.seed).reshape(-1, context), filled
    if filled < needed and options.text == "released-2024-12" and sum(map(len, token_blocks)) >= options.tuning.tokens:
        return _repeated_as_released(_joined(token_blocks), lengths, options), filled
    ids = _joined(each[: len(each) // context * context] for each in token_blocks) if cut else _joined(token_blocks)
    windows = min(needed, len(ids)) // context
    return ids[: windows * context].reshape(windows, context), windows * context


def _repeated(ids: NDArray[np.int32], lengths: Sequence[int], needed: int, seed: int) -> NDArray[np.int32]:
    """Return the texts as often as they reach `needed` tokens: first as they are, then every time in another order."""
    starts, times = starts_of(lengths), math.ceil(needed / len(ids))
    orders = (np.random.default_rng([seed, BY_SEED, k]).permutation(len(lengths)) for k in range(1, times))
    return np.concatenate([ids, *(reorder(ids, starts, order) for order in orders)])[:needed]


def _repeated_as_released(ids: NDArray[np.int32], lengths: Sequence[int], options: LanguageModelOptions) -> NDArray[np.int32]:
    """Return the windows of a shuffled text that reaches the budget, but not with what is dropped at the ends of windows."""
    back = np.argsort(released.shuffle(len(lengths), 0))  # from the order that it was tokenised in to its own
    in_file = reorder(ids, starts_of(lengths), back), starts_of(np.asarray(lengths)[back])
    return released.source_windows(*in_file, options.architecture.context, options.tuning.tokens, shuffled=True)


def _test(texts: Sequence[str], tokenizer: Tokenizer, options: LanguageModelOptions) -> NDArray[np.int32]:
    """Return the held-out texts, each followed by an end: cut to the budget, or as released the texts until they exceed it."""
    end = [tokenizer.get_vocab_size()]
    token_rows: list[list[int]] = []
    read = 0
    for row in chain.from_iterable(_tokenised(texts, tokenizer)):
        if read > options.evaluation_tokens:
            break
        token_rows.append(row + end)
        read += len(token_rows[-1])
    ids = _joined(token_rows)
    return ids if is_released(options.protocol) else ids[: options.evaluation_tokens]


def _tokenised(texts: Sequence[str], tokenizer: Tokenizer) -> Iterator[list[list[int]]]:
    """Yield the token ids of the texts, `AT_ONCE` texts at a time."""
    for first in range(0, len(texts), AT_ONCE):
        yield [row.ids for row in tokenizer.encode_batch_fast(list(texts[first : first + AT_ONCE]), add_special_tokens=False)]


def _joined(rows: Iterable[list[int] | NDArray[np.int32]]) -> NDArray[np.int32]:
    parts = [np.asarray(row, np.int32) for row in rows]
    return np.concatenate([np.zeros(0, np.int32), *parts])
