"""Texts tokenised once for all checkpoints that share a tokeniser, while one process computes them."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from isogloss.backend.files import digest
from isogloss.backend.models.encoding.offsets import token_spans
from isogloss.backend.models.encoding.tokens import Tokens, tokenize
from isogloss.backend.models.encoding.words import WordTokens, word_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.models.loading.load import Loaded

MOST = 20_000_000
"""Tokens held, at five bytes each and some 250 a sentence: 128 languages of NTREX-128 are 11 million, 115 MB."""
MOST_WORDS = 2_000_000
"""Words whose tokens are held, at some 150 bytes each."""
_kept: OrderedDict[str, Tokens] = OrderedDict()
_kept_words: OrderedDict[str, WordTokens] = OrderedDict()


def token_ids(loaded: Loaded, texts: Sequence[str], language: str) -> Tokens:
    """`texts` by the tokeniser of `loaded`, cut to its maximum: what `tokenize` gives, perhaps kept from another checkpoint.

    Keyed by all that decides it: the tokeniser's content, the maximum, the language and the texts themselves. The least
    recently used go first when there are more than `MOST` tokens.
    """
    key = _key(loaded, texts, language)
    kept_ids = _kept.pop(key, None)
    if kept_ids is None:
        kept_ids = tokenize(loaded.tokenizer, texts, loaded.max_tokens, language=language)
    _kept[key] = kept_ids
    _let_go(_kept, MOST)
    return kept_ids


def of_words(loaded: Loaded, texts: Sequence[str], language: str, words: Sequence[Sequence[tuple[int, int]]]) -> WordTokens:
    """Return the tokens (of `token_ids`) of the words at the characters `words` of each text, kept and keyed likewise."""
    key = _key(loaded, texts, language) + digest([list(map(list, spans)) for spans in words])
    kept_tokens = _kept_words.pop(key, None)
    if kept_tokens is None:
        tokens = token_ids(loaded, texts, language)
        spans = token_spans(loaded.tokenizer, texts, tokens, loaded.max_tokens, language=language)
        kept_tokens = word_tokens(words, spans, tokens.truncated.tolist())
    _kept_words[key] = kept_tokens
    _let_go(_kept_words, MOST_WORDS)
    return kept_tokens


def _key(loaded: Loaded, texts: Sequence[str], language: str) -> str:
    return digest([loaded.tokenizer_identity, loaded.max_tokens, language, list(texts)])


def _let_go(kept: OrderedDict[str, Any], most: int) -> None:
    """Forget the least recently used until at most `most` are held, but never the last."""
    while len(kept) > 1 and sum(each.count for each in list(kept.values())) > most:
        kept.popitem(last=False)
