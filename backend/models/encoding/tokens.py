"""From texts to token ids."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_LANGUAGE_CODE = re.compile(r"^[a-z]{2,3}_[A-Z][A-Za-z]+$")
# Checkpoints share a tokeniser (`backend.models.loading.tokenizer`): its language is state of its own, and a fast one refuses a
# second thread. There are two for a moment where a cancelled shard has yet to notice and the next one has begun.
one_at_a_time = threading.Lock()


@dataclass(frozen=True, eq=False)
class Tokens:
    """Tokenised texts, in their order. Shared between checkpoints: not to be written to."""

    ids: list[NDArray[np.int32]]
    """Token ids with the special ones; never empty."""
    special: list[NDArray[np.bool_]]
    """True for a token that the tokeniser added (`<s>`, `[CLS]`, a language code), false for one of the text."""
    truncated: NDArray[np.bool_]
    """`[texts]`: true for one that was longer than the model's maximum and lost its end."""
    empty: int
    """How many texts have no token of their own, so that only special tokens stand for them."""

    @cached_property
    def count(self) -> int:
        """All tokens together, special ones included."""
        return sum(map(len, self.ids))

    @cached_property
    def own(self) -> NDArray[np.int32]:
        """`[texts]`: how many of its tokens are not special."""
        return np.array([len(marks) - np.count_nonzero(marks) for marks in self.special], np.int32)


def tokenize(tokenizer: Any, texts: Sequence[str], max_tokens: int, *, language: str | None = None) -> Tokens:
    """Tokenise as the model was trained: with its special tokens and, where its texts begin with one, a language code.

    Args:
        tokenizer: Of `transformers`.
        texts: Any strings; one without a token of its own (empty, or spaces alone) is represented by its special tokens,
            or by the tokeniser's end-of-text token where it adds none.
        max_tokens: Longer texts lose their end (special tokens stay).
        language: BCP-47 tag of the texts. mBART-50 and NLLB mark it by a token; a language they do not know, or None,
            leaves the tokeniser's default. Other tokenisers have no use for it.
    """
    with one_at_a_time:
        set_language(tokenizer, language)
        ids, special = _call(tokenizer, list(texts))
        truncated = np.array([len(one) > max_tokens for one in ids], np.bool_)
        long = np.flatnonzero(truncated).tolist()
        if long:
            cut_ids, cut_special = _call(tokenizer, [texts[i] for i in long], truncation=True, max_length=max_tokens)
            for i, one, marks in zip(long, cut_ids, cut_special, strict=True):
                ids[i], special[i] = one, marks
    for i, one in enumerate(ids):
        if not one:
            ids[i], special[i] = [end_token(tokenizer)], [1]
    return Tokens(
        [np.array(one, np.int32) for one in ids],
        [np.array(marks, np.bool_) for marks in special],
        truncated,
        sum(all(marks) for marks in special),
    )


PLAIN = {"padding": False, "return_attention_mask": False, "return_token_type_ids": False, "verbose": False}
"""What a tokeniser is asked for beside ids: nothing."""


def end_token(tokenizer: Any) -> int:
    """Return the id that stands for nothing: end of text, else beginning, else padding, else 0."""
    candidates = (tokenizer.eos_token_id, tokenizer.bos_token_id, tokenizer.pad_token_id)
    return next((int(one) for one in candidates if one is not None), 0)


def _call(tokenizer: Any, texts: list[str], **options: Any) -> tuple[list[list[int]], list[list[int]]]:
    if not texts:
        return [], []
    encoded = tokenizer(texts, **PLAIN, return_special_tokens_mask=True, **options)
    return [list(one) for one in encoded["input_ids"]], [list(marks) for marks in encoded["special_tokens_mask"]]


def set_language(tokenizer: Any, language: str | None) -> None:
    """Make `tokenizer` begin texts with the code of `language`, or with its own default, where it writes one at all."""
    if not hasattr(tokenizer, "src_lang"):
        return
    default = getattr(tokenizer, "isogloss_default_language", None)
    if default is None:
        default = tokenizer.isogloss_default_language = tokenizer.src_lang
    wanted = (language and language_code(language, tokenizer.get_added_vocab())) or default
    if wanted is not None and wanted != tokenizer.src_lang:
        tokenizer.src_lang = wanted


def language_code(language: str, codes: Sequence[str] | dict[str, int]) -> str | None:
    """The code among `codes` (`de_DE`, `deu_Latn`) for a BCP-47 tag, the same script preferred; None where there is none."""
    from langcodes import Language

    wanted = Language.get(language).maximize()
    matches = []
    for code in codes:
        if _LANGUAGE_CODE.match(code):
            offered = Language.get(code.replace("_", "-")).maximize()
            if offered.language == wanted.language:
                matches.append((offered.script != wanted.script, code))
    return min(matches)[1] if matches else None
