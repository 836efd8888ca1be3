"""A word's tokens are found by its characters, with every tokeniser: fast, slow, byte-level, with space markers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from transformers import AutoTokenizer

from isogloss.backend.models.encoding.offsets import token_spans
from isogloss.backend.models.encoding.tokens import tokenize
from isogloss.backend.models.encoding.words import bags, word_means, word_tokens
from tests.models.tiny import ARCHITECTURES, SENTENCES, tiny_model

if TYPE_CHECKING:
    from pathlib import Path

    from tests.models.tiny import Architecture

TEXTS = ["Don't  café 👩‍👩‍👧 ok", "你好 世界 l’homme", "", "   ", "cafe\u0301 the", "يُغادِر العبارة", "The ferry\u2028leaves"]


@pytest.fixture(scope="module")
def tokenizers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("tokenizers")
    return {name: AutoTokenizer.from_pretrained(tiny_model(folder / name, name)) for name in ARCHITECTURES}


def words_of(text: str) -> list[tuple[int, int]]:
    """Words between spaces, by a plain walk."""
    found, start = [], None
    for i, character in enumerate(text + " "):
        if character.isspace():
            if start is not None:
                found.append((start, i))
            start = None
        elif start is None:
            start = i
    return found


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_tokens_of_words_cover_the_text_and_leave_special_tokens_and_spaces_out(
    tokenizers: dict[str, Any], architecture: str
) -> None:
    tokenizer = tokenizers[architecture]
    tokens = tokenize(tokenizer, TEXTS, 64)
    spans = token_spans(tokenizer, TEXTS, tokens, 64)
    found = word_tokens([words_of(text) for text in TEXTS], spans, [False] * len(TEXTS))
    assert found.truncated == 0
    for text, ids, special, span, words in zip(TEXTS, tokens.ids, tokens.special, spans, found.tokens, strict=True):
        assert span.shape == (len(ids), 2)
        claimed = [int(i) for word in words for i in word]
        assert len(set(claimed)) == len(claimed), "words between spaces share no token"
        for i, (piece, mark) in enumerate(zip(tokenizer.convert_ids_to_tokens(ids), special, strict=True)):
            expected = not mark and piece not in {"▁", "Ġ"} and not text[slice(*span[i])].isspace()
            assert (i in claimed) == expected, (text, piece, span[i])
        assert all(len(word) for word in words), text


def test_a_lone_space_marker_is_not_of_the_word(tokenizers: dict[str, Any]) -> None:
    tokenizer = tokenizers["xlm-roberta"]
    tokens = tokenize(tokenizer, ["你好"], 64)
    pieces = tokenizer.convert_ids_to_tokens(tokens.ids[0])
    assert pieces[1] == "▁"
    words = word_tokens([[(0, 2)]], token_spans(tokenizer, ["你好"], tokens, 64), [False])
    assert 1 not in words.tokens[0][0]
    assert len(words.tokens[0][0]) == 1


class _Slow:
    """A tokeniser without offsets that lower-cases, strips accents and splits into pieces of at most three characters."""

    is_fast = False

    def tokenize(self, text: str) -> list[str]:
        import unicodedata

        plain = "".join(c for c in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(c))
        return [
            word[i : i + 3] + ("</w>" if i + 3 >= len(word) else "") for word in plain.split() for i in range(0, len(word), 3)
        ]


def test_pieces_of_a_slow_tokeniser_are_aligned_with_the_text() -> None:
    from isogloss.backend.models.encoding.tokens import Tokens

    text = "Žluťoučký kůň, cafe\u0301s 👩‍👩‍👧 ĳs"
    slow = _Slow()
    count = len(slow.tokenize(text))
    special = np.array([True, *([False] * count), True])
    tokens = Tokens([np.arange(count + 2, dtype=np.int32)], [special], np.array([False]), 0)
    [spans] = token_spans(slow, [text], tokens, 64)
    assert spans[0].tolist() == spans[-1].tolist() == [0, 0]
    words = word_tokens([words_of(text)], [spans], [False])
    for (start, end), positions in zip(words_of(text), words.tokens[0], strict=True):
        pieces = "".join(slow.tokenize(text)[i - 1].removesuffix("</w>") for i in positions)
        assert pieces == "".join(slow.tokenize(text[start:end])).replace("</w>", "")


def test_words_beyond_the_end_are_counted_even_those_half_kept(tokenizers: dict[str, Any]) -> None:
    tokenizer = tokenizers["gpt2"]
    text = "the storms leaves children"
    [whole] = token_spans(tokenizer, [text], tokenize(tokenizer, [text], 64), 64)
    limit = int(np.flatnonzero((whole[:, 0] > 4) & (whole[:, 1] < 10))[0]) + 1  # in the middle of "storms"
    tokens = tokenize(tokenizer, [text], limit)
    assert tokens.truncated.tolist() == [True]
    words = word_tokens([words_of(text)], token_spans(tokenizer, [text], tokens, limit), [True])
    assert [len(word) > 0 for word in words.tokens[0]] == [True, False, False, False]
    assert words.truncated == 3


def test_word_means_are_means_of_the_tokens_overlapping() -> None:
    generator = torch.Generator().manual_seed(3)
    hidden = torch.randn(2, 5, 4, generator=generator)
    hidden[0, 4] = torch.nan  # padding may hold anything
    tokens = [[np.array([1, 2]), np.array([3])], [np.array([4]), np.array([], np.int64), np.array([0, 2, 4])]]
    means = word_means(hidden, *bags(tokens, 5))
    expected = torch.stack([hidden[0, 1:3].mean(0), hidden[0, 3], hidden[1, 4], torch.zeros(4), hidden[1, [0, 2, 4]].mean(0)])
    torch.testing.assert_close(means, expected)


def test_a_batch_without_words_gives_no_vectors() -> None:
    assert word_means(torch.randn(2, 3, 4), *bags([[], []], 3)).shape == (0, 4)


def test_an_apostrophe_a_combining_mark_and_an_emoji_stay_whole(tokenizers: dict[str, Any]) -> None:
    for architecture in ARCHITECTURES:
        tokenizer = tokenizers[architecture]
        for text, word in (("Don't", (0, 5)), ("cafe\u0301 x", (0, 5)), ("a 👩‍👩‍👧", (2, 7))):
            tokens = tokenize(tokenizer, [text], 64)
            [spans] = token_spans(tokenizer, [text], tokens, 64)
            [[positions]] = word_tokens([[word]], [spans], [False]).tokens
            covered = {c for i in positions for c in range(*spans[i])}
            assert set(range(*word)) <= covered | {c for c in range(*word) if text[c] in "\u200d\u0301"}, (architecture, text)


@pytest.mark.parametrize("architecture", ["xlm-roberta", "bert", "llama", "qwen2"])
def test_words_out_of_batches_are_those_of_each_text_alone(tmp_path: Path, architecture: Architecture) -> None:
    """Against the whole model of transformers, a text at a time, whose tokens' characters are walked plainly."""
    from transformers import AutoModel

    from isogloss.backend.models.encoding.encode import encode
    from isogloss.backend.models.library.discover import discover
    from isogloss.backend.models.loading.load import load
    from isogloss.backend.settings import Settings

    folder = tiny_model(tmp_path / "model", architecture, layers=3)
    loaded = load(discover(str(folder)).checkpoints[0], Settings(workspace=tmp_path / "w", device="cpu"))
    texts = [SENTENCES[0], "ab", "", SENTENCES[6], SENTENCES[8], SENTENCES[3]]
    words = [words_of(text) for text in texts]
    tokens = tokenize(loaded.tokenizer, texts, 64)
    found = word_tokens(words, token_spans(loaded.tokenizer, texts, tokens, 64), [False] * len(texts))
    encoded = encode(loaded, tokens, ["mean"], words=found, token_budget=40)
    vectors, exponents = encoded.vectors["words"], encoded.exponents["words"]
    assert vectors.shape == (sum(map(len, words)), 4, 32)

    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    row = 0
    for text, spans in zip(texts, words, strict=True):
        if not spans:
            continue
        told = tokenizer(text, return_offsets_mapping=True, return_tensors="pt")
        pieces = tokenizer.convert_ids_to_tokens(told["input_ids"][0].tolist())
        with torch.no_grad():
            hidden = torch.stack(model(input_ids=told["input_ids"], output_hidden_states=True).hidden_states)[:, 0]
        for start, end in spans:
            of_word = [
                i
                for i, (a, b) in enumerate(told["offset_mapping"][0].tolist())
                if b > a and pieces[i] not in {"▁", "Ġ"} and any(start <= c < end for c in range(a, b))
            ]
            true = np.ldexp(vectors[row].astype(np.float64), exponents[row][:, None])
            np.testing.assert_allclose(true, hidden[:, of_word].mean(1).numpy(), atol=2e-3, rtol=2e-3)
            row += 1
    assert row == len(vectors)
