"""The sub-words of a target language: byte-level BPE as GPT-2 has it, trained on the language's own text and kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from isogloss.backend.files import digest, publish

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

CHARACTERS = 50_000_000
"""Training a tokeniser stops reading after so many."""


def train_bpe(texts: Sequence[str], vocabulary: int, characters: int | None = CHARACTERS) -> Tokenizer:
    """Byte-level BPE (Sennrich et al. 2016; Radford et al. 2019) of at most `vocabulary` entries, pairs seen twice at least.

    Its 256 bytes make every text a sequence of known tokens. It has no special tokens, so no text can pretend to be one.
    The same texts in the same order give the same tokeniser. Those after so many `characters` are not read; None reads all.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        min_frequency=2,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_first(texts, characters), trainer)
    return tokenizer


def cached_bpe(texts: Sequence[str], vocabulary: int, folder: Path | None, characters: int | None = CHARACTERS) -> Tokenizer:
    """`train_bpe`, or what it gave for the same texts before where a `folder` keeps that.

    Raises `StoreError` where the folder cannot be written.
    """
    if folder is None:
        return train_bpe(texts, vocabulary, characters)
    path = folder / f"bpe-{digest([vocabulary, *_first(texts, characters)])}.json"
    if not path.exists():
        tokenizer = train_bpe(texts, vocabulary, characters)
        with publish(path) as temporary:
            tokenizer.save(str(temporary), pretty=False)
    return Tokenizer.from_file(str(path))


def _first(texts: Sequence[str], characters: int | None) -> Iterator[str]:
    read = 0
    for text in texts:
        yield text
        read += len(text)
        if characters is not None and read >= characters:
            return
