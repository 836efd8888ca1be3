"""From a vector a token to a vector a word: the mean of the sub-word tokens that overlap the word's characters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from torch import Tensor


@dataclass(frozen=True, eq=False)
class WordTokens:
    """The tokens of every word of some texts, in the order of the texts and, within one, of its words."""

    tokens: list[list[NDArray[np.int64]]]
    """For each text and word the positions of its tokens; empty for a word that has none."""
    truncated: int
    """Words lost, whole or in part, with the end of a text that is longer than the model's maximum."""
    untokenised: int
    """Words of which the tokeniser keeps nothing (it drops some control and private characters)."""

    @cached_property
    def begins(self) -> NDArray[np.int64]:
        """`[texts + 1]`: the words of text i are rows `begins[i]` to `begins[i + 1]` of all words."""
        return np.concatenate([[0], np.cumsum([len(words) for words in self.tokens], dtype=np.int64)])

    @property
    def count(self) -> int:
        """Count the words of all texts."""
        return int(self.begins[-1])

    def firsts(self) -> WordTokens:
        """Return the same words with the first of their tokens alone."""
        return replace(self, tokens=[[word[:1] for word in words] for words in self.tokens])

    def without_first_token(self) -> WordTokens:
        """Return the same words without their text's first token, where an attention sink stands; some then have none."""
        return replace(self, tokens=[[word[word > 0] for word in words] for words in self.tokens])

    def rows(self, texts: Sequence[int]) -> list[int]:
        """Return the rows of the words of `texts`, in that order."""
        return [row for text in texts for row in range(self.begins[text], self.begins[text + 1])]

    def pooler(self, texts: Sequence[int], width: int, device: torch.device) -> Callable[[Tensor], Tensor]:
        """What makes a vector a word of each layer of one batch: `hidden [batch, width, dims]` → `[words, dims]` float32."""
        positions, starts = bags([self.tokens[text] for text in texts], width)
        return partial(word_means, positions=positions.to(device), starts=starts.to(device))


def word_tokens(
    words: Sequence[Sequence[tuple[int, int]]], spans: Sequence[NDArray[np.int32]], cut: Sequence[bool]
) -> WordTokens:
    """Find the tokens of words by characters, never by splitting strings again.

    Args:
        words: For each text the `(start, end)` of its words, in characters.
        spans: For each text `[tokens, 2]`, from `backend.models.encoding.offsets.token_spans`.
        cut: Whether the text lost its end. A word that reaches beyond the last token kept is then lost: the mean of
            its beginning alone would be the vector of another word.

    A token that overlaps two words (a piece may hold an apostrophe, or two Chinese words) counts for both.
    """
    tokens_of_words: list[list[NDArray[np.int64]]] = []
    truncated = untokenised = 0
    for text_words, text_spans, text_cut in zip(words, spans, cut, strict=True):
        starts, ends = text_spans[:, 0], text_spans[:, 1]
        reach = int(ends.max(initial=0))
        of_text = []
        for start, end in text_words:
            if text_cut and end > reach:
                truncated += 1
                of_text.append(np.empty(0, np.int64))
                continue
            overlapping = np.flatnonzero((starts < end) & (ends > start) & (ends > starts))
            untokenised += not len(overlapping)
            of_text.append(overlapping)
        tokens_of_words.append(of_text)
    return WordTokens(tokens_of_words, truncated, untokenised)


def bags(tokens: Sequence[Sequence[NDArray[np.int64]]], width: int) -> tuple[Tensor, Tensor]:
    """Return the words of one batch as bags of its tokens, for `word_means`.

    Args:
        tokens: For each row of the batch and each word the positions of its tokens.
        width: Tokens a row, padding included.

    Returns the positions of all words' tokens in the flattened batch, int64, and where each word's begin among them.
    """
    parts = [word + row * width for row, words in enumerate(tokens) for word in words]
    sizes = np.array([len(part) for part in parts], np.int64)
    starts = np.concatenate([[0], sizes.cumsum()[:-1]]) if len(parts) else np.empty(0, np.int64)
    flat = np.concatenate(parts) if parts else np.empty(0, np.int64)
    return torch.from_numpy(flat), torch.from_numpy(starts)


def word_means(hidden: Tensor, positions: Tensor, starts: Tensor) -> Tensor:
    """Return one vector per word: `hidden [batch, tokens, dims]` → float32 `[words, dims]`; zeros for a word without tokens."""
    flat = hidden.flatten(0, 1).float()
    return torch.nn.functional.embedding_bag(positions, flat, starts, mode="mean")
