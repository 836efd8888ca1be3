"""The tokens that a word may begin with, of every vocabulary, against a loop over pieces and the published rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from transformers import AutoTokenizer

from isogloss.backend.models.encoding.first_tokens import FirstTokens
from isogloss.backend.settings import DEMO
from tests.models.tiny import tiny_model

WORDS = ["fähre", "ferry", "паром", "渡轮", "العبارة", "e", "", "</s>", "\ud800", "storm"]


class Vocabulary:
    """A tokeniser that is nothing but its pieces."""

    all_special_ids = (0,)

    def __init__(self, *pieces: str) -> None:
        self.pieces = {"<s>": 0} | {piece: number for number, piece in enumerate(pieces, 1)}

    def get_vocab(self) -> dict[str, int]:
        return self.pieces


def published(word: str, vocabulary: dict[str, int], *, byte: bool) -> set[int]:
    """As the authors' code does it: beginnings of the word with and without a sentencepiece space, and the first byte."""
    beginnings = [word[:end] for end in range(1, len(word) + 1)]
    found = {vocabulary[each] for each in ["▁" + one for one in beginnings] + beginnings if each in vocabulary}
    name = f"<0x{word.encode()[0]:X}>"
    return found | ({vocabulary[name]} if byte and name in vocabulary else set())


def test_of_sentencepiece_it_is_the_published_rule() -> None:
    pieces = ("▁", "▁f", "f", "▁fl", "fleur", "▁fleur", "▁fleurs", "leur", "<0xE8>", "<0x66>", "▁花", "花", "<0xE4>", "с")
    tokenizer = Vocabulary(*pieces)
    first = FirstTokens(tokenizer)
    for word, byte in (("fleur", False), ("花", True), ("花朵", True), ("сын", True), ("語", True), ("x", False)):
        assert set(first.of([word])) == published(word, tokenizer.get_vocab(), byte=byte), word
    assert first.of(["fleur", "花"]) == sorted({*first.of(["fleur"]), *first.of(["花"])})
    assert first.of(["x", ""]) == first.of([]) == []


def test_pieces_of_words_that_go_on_or_end_there() -> None:
    bert = Vocabulary("f", "##f", "fer", "##rry", "ferry", "ferryman")
    assert FirstTokens(bert).of(["ferry"]) == [1, 3, 5]
    ended = Vocabulary("fer", "fer</w>", "ferry</w>", "ry</w>")
    assert FirstTokens(ended).of(["ferry"]) == [1, 3]
    assert FirstTokens(ended).of(["fer"]) == [1, 2]


def test_a_special_token_is_the_beginning_of_no_word() -> None:
    assert FirstTokens(Vocabulary("▁", "<")).of(["<s>"]) == [2]


@pytest.mark.parametrize("architecture", ["llama", "bloom", "gpt2", "qwen2"])
def test_bytes_are_beginnings_of_bytes(tmp_path: Path, architecture: Any) -> None:
    tokenizer = AutoTokenizer.from_pretrained(tiny_model(tmp_path / architecture, architecture))
    from tokenizers.pre_tokenizers import ByteLevel  # its own alphabet, to hold ours against

    first = FirstTokens(tokenizer)
    special = set(tokenizer.all_special_ids)
    for word in WORDS:
        shown = "".join(part for part, _ in ByteLevel(add_prefix_space=False, use_regex=False).pre_tokenize_str(word)) if (
            word.isprintable() and word) else ""  # fmt: skip
        slow = sorted(
            number
            for piece, number in tokenizer.get_vocab().items()
            if number not in special and (bare := piece.removeprefix("Ġ")) and shown.startswith(bare)
        )
        if shown or not word:
            assert first.of([word]) == slow, word
    assert len(first.of(["паром"])) > 1


@pytest.mark.parametrize("architecture", ["bert", "xlm-roberta", "xglm"])
def test_the_word_itself_begins_with_one_of_them(tmp_path: Path, architecture: Any) -> None:
    tokenizer = AutoTokenizer.from_pretrained(tiny_model(tmp_path / architecture, architecture))
    first = FirstTokens(tokenizer)
    for word in ("ferry", "storm", "fähre"):
        ids = [each for each in tokenizer(word, add_special_tokens=False)["input_ids"] if each != tokenizer.unk_token_id]
        told = [each for each in ids if tokenizer.convert_ids_to_tokens(each) not in ("▁", "[UNK]")]
        assert told[0] in first.of([word]), word


def test_a_word_is_written_as_the_tokeniser_writes_it() -> None:
    tokenizer = AutoTokenizer.from_pretrained(Path(str(DEMO)) / "models" / "mlm")
    first = FirstTokens(tokenizer)
    plain, composed = first.of(["a\u0308hnlich"]), first.of(["\u00e4hnlich"])
    assert composed
    if tokenizer.backend_tokenizer.normalizer is not None:
        assert plain == composed
