"""Which tokens a word may begin with, by a tokeniser's vocabulary: what a model that is about to say the word may give first.

Source: the released code of Wendler et al. 2024, which counts the pieces that are a beginning of the word, with and without a
space before, and the first byte of a Chinese or Russian word. Its look-up knows sentencepiece alone; here the pieces of every
kind of tokeniser are first written as bytes, of which a piece must be a beginning, in every language.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

_END = "</w>"
"""Ends a piece that can only be the end of a word."""
_BYTE = re.compile(r"<0x([0-9A-F]{2})>")


class FirstTokens:
    """The pieces of a tokeniser of `transformers`, by their bytes; special tokens are none of them."""

    def __init__(self, tokenizer: Any) -> None:
        special = set(tokenizer.all_special_ids)
        vocabulary = {piece: number for piece, number in tokenizer.get_vocab().items() if number not in special}
        write = _writing(vocabulary)
        self._normaliser = getattr(getattr(tokenizer, "backend_tokenizer", None), "normalizer", None)
        self._beginnings: dict[bytes, list[int]] = {}
        self._whole: dict[bytes, list[int]] = {}
        for piece, number in vocabulary.items():
            written = write(piece)
            if written:  # a piece that ends a word is none of the beginnings of a longer one
                (self._whole if piece.endswith(_END) else self._beginnings).setdefault(written, []).append(number)

    def of(self, words: Iterable[str]) -> list[int]:
        """Return the ids, sorted, of all pieces that one of `words` begins with or is; empty where there is none."""
        found: set[int] = set()
        for word in words:
            written = self._normal(word).encode("utf-8", "surrogatepass")
            for end in range(1, len(written) + 1):
                found.update(self._beginnings.get(written[:end], ()))
            found.update(self._whole.get(written, ()))
        return sorted(found)

    def _normal(self, word: str) -> str:
        """Return a word as the tokeniser writes it before it is cut: in lower case, without accents, composed."""
        return word if self._normaliser is None else self._normaliser.normalize_str(word).strip(" ▁")


def _writing(vocabulary: dict[str, int]) -> Any:
    """Return what writes a piece of such a vocabulary as bytes, without the space before it; None: it goes on a word."""
    if {"Ġ", "Ċ"} <= vocabulary.keys():
        byte_of = _alphabet()
        return lambda piece: bytes(byte_of.get(character, 0xFF) for character in piece.removeprefix("Ġ"))
    if "▁" in vocabulary or sum(piece.startswith("▁") for piece in vocabulary) > sum("##" in piece for piece in vocabulary):
        return _sentencepiece
    if any(piece.endswith(_END) for piece in vocabulary):
        return lambda piece: piece.removesuffix(_END).encode()
    return lambda piece: None if piece.startswith("##") else piece.encode()


def _sentencepiece(piece: str) -> bytes:
    """Write a piece of sentencepiece; a byte of its own only where it begins no ASCII character, which has a piece."""
    if (byte := _BYTE.fullmatch(piece)) is not None:
        number = int(byte[1], 16)
        return bytes([number]) if number >= 0x80 else b""
    return piece.removeprefix("▁").encode("utf-8", "surrogatepass")


def _alphabet() -> dict[str, int]:
    """Return the byte that each character of a byte-level vocabulary stands for: its own, or of those from 256 on others'."""
    printed = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printed]
    return {chr(byte): byte for byte in printed} | {chr(256 + place): byte for place, byte in enumerate(others)}
