"""What a tokeniser makes of sentences: counts of each, how often which piece occurs, and which characters each stands for."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.corpora.languages.words import has_words, segment
from isogloss.backend.models.encoding.offsets import lone_markers, token_spans
from isogloss.backend.models.encoding.tokens import PLAIN, one_at_a_time, set_language, tokenize

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from isogloss.backend.corpora.languages.languages import Language

    Counts = NDArray[np.int64]
    Marks = NDArray[np.bool_]

WHOLE = 1 << 30
"""Tokens: no sentence is cut to be counted."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """The pieces of a language's sentences, without the special tokens around them: arrays `[sentences]`."""

    pieces: Counts
    unknown: Counts
    """Pieces that stand for what the tokeniser has no piece for."""
    characters: Counts
    """Code points of the text, spaces among them."""
    bytes: Counts
    """Of the text in UTF-8."""
    truncated: Counts
    """1 for a sentence that is longer, special tokens included, than the model takes in; else 0."""
    words: Counts
    """0 everywhere in a language whose words are not found."""
    in_words: Counts
    """Pieces of words: one that reaches over two words counts for both."""
    single: Counts
    """Words that are one piece."""
    used: dict[int, int]
    """How often each piece occurs in all of them, by its id; without the unknown one."""
    spans: list[tuple[NDArray[np.int32], Marks]]
    """Of each sentence, the characters of its pieces `[pieces, 2]`, and which of these are unknown."""


@dataclass(frozen=True, eq=False)
class _Tokens:
    """The tokens of all sentences in a row, special ones among them: arrays `[tokens]`."""

    ids: NDArray[np.int32]
    special: Marks
    spans: NDArray[np.int32]
    """`[tokens, 2]`."""
    lengths: Counts
    """Of each sentence."""


def of_languages(tokenizer: Any, texts: Mapping[str, Sequence[str]], max_tokens: int) -> Iterator[tuple[str, Pieces]]:
    """Cut the sentences of each language (by its tag) by a tokeniser of `transformers`, and count.

    `max_tokens` is the model's longest input, special tokens included. Words are those of `segment`; where it finds none of the
    language's (`has_words`), there are none. A language is cut while words are looked for in the one before. Raises
    `ModelError` as `token_spans` does.
    """
    with ThreadPoolExecutor(1, "cutting") as ahead:
        coming = ((tag, ahead.submit(_cut, tokenizer, sentences, tag)) for tag, sentences in texts.items())
        upcoming = next(coming, None)
        while upcoming is not None:
            (tag, cut), upcoming = upcoming, next(coming, None)
            yield tag, _counted(cut.result(), texts[tag], language(tag), getattr(tokenizer, "unk_token_id", None), max_tokens)


def _cut(tokenizer: Any, texts: Sequence[str], tag: str) -> _Tokens:
    return (_fast if getattr(tokenizer, "is_fast", False) else _slow)(tokenizer, texts, tag)


def _counted(found: _Tokens, texts: Sequence[str], known: Language, unk: int | None, max_tokens: int) -> Pieces:
    own, sentence = ~found.special, np.repeat(np.arange(len(texts)), found.lengths)
    ids, spans, sentence = found.ids[own], found.spans[own], sentence[own]
    unknown = ids == unk if unk is not None else np.zeros(len(ids), np.bool_)
    found_words = has_words(known.tag, known.script)
    words = [segment(text, known.tag) if found_words else [] for text in texts]
    of_word = np.repeat(np.arange(len(texts)), [len(each) for each in words])
    held = _overlapping(spans, sentence, np.array(list(chain(*words)), np.int64).reshape(-1, 2), of_word)
    used, times = np.unique(ids[~unknown], return_counts=True)

    def each(of: Counts, weights: Any = None) -> Counts:
        return np.bincount(of, weights, len(texts)).astype(np.int64)

    pieces = each(sentence)
    ends = np.cumsum(pieces)[:-1]
    return Pieces(
        pieces=pieces,
        unknown=each(sentence, unknown),
        characters=np.array([len(text) for text in texts], np.int64),
        bytes=np.array([len(text.encode("utf-8", "surrogatepass")) for text in texts], np.int64),
        truncated=(found.lengths > max_tokens).astype(np.int64),
        words=each(of_word),
        in_words=each(of_word, held),
        single=each(of_word, held == 1),
        used=dict(zip(used.tolist(), times.tolist(), strict=True)),
        spans=list(zip(np.split(spans, ends), np.split(unknown, ends), strict=True)),
    )


def _fast(tokenizer: Any, texts: Sequence[str], tag: str) -> _Tokens:
    """Cut by a fast tokeniser, once for tokens and places."""
    with one_at_a_time:
        set_language(tokenizer, tag)
        encoded = tokenizer(list(texts), **PLAIN, return_special_tokens_mask=True, return_offsets_mapping=True)
        lone = lone_markers(tokenizer)
    lengths = np.array([len(one) for one in encoded["input_ids"]], np.int64)
    ids = np.fromiter(chain.from_iterable(encoded["input_ids"]), np.int32, int(lengths.sum()))
    special = np.fromiter(chain.from_iterable(encoded["special_tokens_mask"]), np.bool_, len(ids))
    ends = chain.from_iterable(chain.from_iterable(encoded["offset_mapping"]))
    spans = np.fromiter(ends, np.int32, 2 * len(ids)).reshape(-1, 2)
    spans[special | np.isin(ids, lone)] = 0
    return _Tokens(ids, special, spans, lengths)


def _slow(tokenizer: Any, texts: Sequence[str], tag: str) -> _Tokens:
    tokens = tokenize(tokenizer, texts, WHOLE, language=tag)
    spans = token_spans(tokenizer, texts, tokens, WHOLE, language=tag)
    lengths = np.array([len(one) for one in tokens.ids], np.int64)
    return _Tokens(np.concatenate(tokens.ids), np.concatenate(tokens.special), np.concatenate(spans), lengths)


def _overlapping(spans: NDArray[np.int32], sentence: Counts, words: NDArray[np.int64], of_word: Counts) -> Counts:
    """Return how many pieces overlap each word `[words]`: those that begin before its end, less those that end before it.

    Places are within a sentence; `sentence` and `of_word` say which.
    """
    if not len(words):
        return np.zeros(0, np.int64)
    apart = int(max(words.max(), spans.max(initial=0))) + 1  # the sentences one after another
    there = spans[:, 1] > spans[:, 0]
    placed = spans[there].astype(np.int64) + apart * sentence[there, None]
    begin, end = (words + apart * of_word[:, None]).T
    held: Counts = np.searchsorted(np.sort(placed[:, 0]), end) - np.searchsorted(np.sort(placed[:, 1]), begin, "right")
    return held
