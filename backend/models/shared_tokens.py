"""Texts tokenised once for all checkpoints that share a tokeniser, while one process computes them."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from backend.files import digest
from backend.models.tokens import Tokens, tokenize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from backend.models.load import Loaded

MOST = 20_000_000
"""Tokens held, at five bytes each and some 250 a sentence: 128 languages of NTREX-128 are 11 million, 115 MB."""
_kept: OrderedDict[str, Tokens] = OrderedDict()


def of(loaded: Loaded, texts: Sequence[str], language: str) -> Tokens:
    """`texts` by the tokeniser of `loaded`, cut to its maximum: what `tokenize` gives, perhaps kept from another checkpoint.

    Keyed by all that decides it: the tokeniser's content, the maximum, the language and the texts themselves. The least
    recently used go first when there are more than `MOST` tokens.
    """
    key = digest([loaded.tokenizer_identity, loaded.max_tokens, language, list(texts)])
    found = _kept.pop(key, None)
    if found is None:
        found = tokenize(loaded.tokenizer, texts, loaded.max_tokens, language=language)
    _kept[key] = found
    while len(_kept) > 1 and sum(tokens.count for tokens in list(_kept.values())) > MOST:
        _kept.popitem(last=False)
    return found
