"""How sentences are cut and counted, by fast and slow tokenisers, against loops over their pieces; without any weights."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from transformers import AutoTokenizer

from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.corpora.languages.words import has_words, segment
from isogloss.backend.errors import ModelError
from isogloss.backend.experiments.tokenisers.pieces import Pieces, of_languages
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading.load import load
from isogloss.backend.models.loading.tokenizer_alone import tokeniser_of
from isogloss.backend.settings import DEMO, Settings
from tests.models.tiny import ARCHITECTURES, SENTENCES, Architecture, tiny_model

if TYPE_CHECKING:
    from collections.abc import Sequence

TEXTS = {
    "en": ["The ferry leaves the harbour.", "Don't  wait, it's 9!", "", "…", "word"],
    "ja": ["渡轮の港を九時に出る。", "子供たちは知らない。", "", "。", "海"],
    "bo": ["བོད་ཡིག་", "ཀ", "", "།", "བོད"],
}


@pytest.fixture(scope="module")
def demo() -> Any:
    return AutoTokenizer.from_pretrained(Path(str(DEMO)) / "models" / "mlm")


def cut(tokenizer: Any, texts: dict[str, Sequence[str]], most: int = 100) -> dict[str, Pieces]:
    return dict(of_languages(tokenizer, texts, most))


def test_every_count_is_that_of_a_loop_over_pieces_and_words(demo: Any) -> None:
    for tag, found in cut(demo, TEXTS, most=9).items():
        for place, text in enumerate(TEXTS[tag]):
            encoded = demo(text, return_offsets_mapping=True)
            pieces = [
                (piece, start, end)
                for piece, (start, end) in zip(encoded["input_ids"], encoded["offset_mapping"], strict=True)
                if piece not in (demo.bos_token_id, demo.eos_token_id)
            ]
            lone = demo.convert_tokens_to_ids("▁")
            words = segment(text, tag) if tag != "bo" else []
            held = [
                sum(start < last and end > first and end > start and piece != lone for piece, start, end in pieces)
                for first, last in words
            ]
            assert found.pieces[place] == len(pieces)
            assert found.unknown[place] == sum(piece == demo.unk_token_id for piece, _, _ in pieces)
            assert found.characters[place] == len(text)
            assert found.bytes[place] == len(text.encode())
            assert found.truncated[place] == (len(encoded["input_ids"]) > 9)
            assert (found.words[place], found.in_words[place]) == (len(words), sum(held))
            assert found.single[place] == held.count(1)
            assert [tuple(span) for span in found.spans[place][0].tolist()] == [
                (0, 0) if piece == lone else (start, end) for piece, start, end in pieces
            ]
        every = Counter(piece for text in TEXTS[tag] for piece in demo(text, add_special_tokens=False)["input_ids"])
        every.pop(demo.unk_token_id, None)
        assert found.used == dict(every)


def test_a_language_whose_words_are_not_found_has_none(demo: Any) -> None:
    assert cut(demo, TEXTS)["bo"].words.sum() == 0
    assert cut(demo, TEXTS)["ja"].words.sum() > 3
    with_words = {tag for tag in ("bo", "dz", "shn", "yue", "th", "km", "my", "zh-Hant", "ja", "ko", "vi", "yue-Latn") if
                  has_words(tag, language(tag).script)}  # fmt: skip
    assert with_words == {"th", "km", "my", "zh-Hant", "ja", "ko", "vi", "yue-Latn"}


@pytest.mark.parametrize("architecture", ["bert", "xlm-roberta"])
def test_a_slow_tokeniser_counts_as_the_fast_one(architecture: Architecture, tmp_path: Path, monkeypatch: Any) -> None:
    fast = AutoTokenizer.from_pretrained(tiny_model(tmp_path, architecture))
    texts = {"en": SENTENCES[:4], "ru": SENTENCES[4:6]}
    quick = cut(fast, texts)
    monkeypatch.setattr(type(fast), "is_fast", False)
    for tag, found in cut(fast, texts).items():
        for name in ("pieces", "unknown", "truncated", "words", "used"):
            np.testing.assert_equal(getattr(found, name), getattr(quick[tag], name))
        known = quick[tag].unknown == 0  # an unknown piece's characters are guessed
        np.testing.assert_equal(found.in_words[known], quick[tag].in_words[known])


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_tokeniser_and_its_longest_input_are_those_of_the_loaded_model(architecture: Architecture, tmp_path: Path) -> None:
    (checkpoint,) = discover(str(tiny_model(tmp_path / "model", architecture))).checkpoints
    settings = Settings(workspace=tmp_path, device="cpu")
    loaded, alone = load(checkpoint, settings), tokeniser_of(checkpoint, settings)
    assert alone.max_tokens == loaded.max_tokens
    assert alone.tokenizer(SENTENCES)["input_ids"] == loaded.tokenizer(SENTENCES)["input_ids"]


def test_a_folder_that_changed_is_refused(tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "model", "bert")
    (checkpoint,) = discover(str(folder)).checkpoints
    (folder / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ModelError, match="have changed since"):
        tokeniser_of(checkpoint, Settings(workspace=tmp_path))
