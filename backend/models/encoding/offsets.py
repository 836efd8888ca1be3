"""Which characters of a text each of its tokens stands for: from the tokeniser itself, or by aligning its pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.errors import ModelError
from isogloss.backend.models.encoding.tokens import PLAIN, one_at_a_time, set_language

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from isogloss.backend.models.encoding.tokens import Tokens

MARKERS = ("▁", "Ġ", "</w>", "##", "@@")
"""How tokenisers write a space before a piece, the end of a word, or that a piece goes on: no characters of the text."""


def token_spans(
    tokenizer: Any, texts: Sequence[str], tokens: Tokens, max_tokens: int, *, language: str | None = None
) -> list[NDArray[np.int32]]:
    """Return the characters of every token: for each text `[tokens, 2]`, start and end, as in `text[start:end]`.

    A token without a character (`<s>`, a lone space marker, an end-of-text token) has start and end 0. Several tokens may share
    a character (the bytes of an emoji), and a token may begin at the space before it. A fast tokeniser tells its offsets; the
    pieces of a slow one are aligned with the text, whatever it lower-cased, decomposed or replaced. `tokens` are from
    `backend.models.encoding.tokens.tokenize`, with the same `texts`, `max_tokens` and `language`.

    Raises:
        ModelError: The tokeniser gives other tokens now than before.
    """
    with one_at_a_time:
        set_language(tokenizer, language)
        if getattr(tokenizer, "is_fast", False):
            return _told(tokenizer, texts, tokens, max_tokens)
        together = zip(texts, tokens.ids, tokens.special, strict=True)
        return [_aligned(tokenizer, text, ids, special) for text, ids, special in together]


def _told(tokenizer: Any, texts: Sequence[str], tokens: Tokens, max_tokens: int) -> list[NDArray[np.int32]]:
    encoded = tokenizer(list(texts), **PLAIN, truncation=True, max_length=max_tokens, return_offsets_mapping=True)
    lone = lone_markers(tokenizer)
    spans_of_texts = []
    for ids, special, again, offsets in zip(
        tokens.ids, tokens.special, encoded["input_ids"], encoded["offset_mapping"], strict=True
    ):
        spans = np.zeros((len(ids), 2), np.int32)
        if len(again):  # a text without any token is represented by one that stands for nothing
            if not np.array_equal(again, ids):
                raise ModelError("The tokeniser gave other tokens the second time. Add the model again.")
            spans[:] = offsets
            spans[special | np.isin(ids, lone)] = 0
        spans_of_texts.append(spans)
    return spans_of_texts


def lone_markers(tokenizer: Any) -> list[int]:
    """Return the ids of pieces that are a marker alone.

    XLM-R's lone "▁" claims the first character of the word after it: what such a piece stands for is the space.
    """
    known = tokenizer.convert_tokens_to_ids(list(MARKERS))
    return [int(i) for i in known if i is not None and i != tokenizer.unk_token_id]


def _aligned(tokenizer: Any, text: str, ids: NDArray[np.int32], special: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return the spans of a tokeniser that does not know them: its pieces are aligned with the text's characters."""
    from spacy_alignments import get_alignments

    positions = np.flatnonzero(~special)
    pieces = tokenizer.tokenize(text)[: len(positions)]  # the pieces as they were, where their ids may be those of <unk>
    if len(pieces) < len(positions):
        pieces = tokenizer.convert_ids_to_tokens([int(ids[i]) for i in positions])
    spans = np.zeros((len(ids), 2), np.int32)
    _, characters = get_alignments(list(text), [_bare(piece) for piece in pieces])
    for i, covered in zip(positions, characters, strict=True):
        if covered:
            spans[i] = covered[0], covered[-1] + 1
    return spans


def _bare(piece: str) -> str:
    """Return a piece without the tokeniser's markers."""
    for marker in MARKERS:
        piece = piece.removeprefix(marker).removesuffix(marker)
    return piece
