"""Checkpoints that share a tokeniser read it once and tokenise once; another tokeniser is never taken for it."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from isogloss.backend.models.encoding import shared_tokens
from isogloss.backend.models.encoding.tokens import tokenize
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading import tokenizer
from isogloss.backend.models.loading.load import Loaded, load
from isogloss.backend.settings import Settings
from tests.models.tiny import ARCHITECTURES, SENTENCES, Architecture, tiny_model

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Empty caches, and a count of how many texts were tokenised at each call."""
    tokenizer._kept.clear()
    shared_tokens._kept.clear()
    calls: list[int] = []

    def counting(*arguments: Any, **options: Any) -> Any:
        calls.append(len(arguments[1]))
        return tokenize(*arguments, **options)

    monkeypatch.setattr(shared_tokens, "tokenize", counting)
    return calls


def loaded_from(folder: Path) -> Loaded:
    return load(discover(str(folder)).checkpoints[0], Settings(workspace=folder.parent / "workspace", device="cpu"))


def test_two_checkpoints_of_one_tokeniser_tokenise_once(tmp_path: Path, fresh: list[int]) -> None:
    first, second = (loaded_from(tiny_model(tmp_path / f"step{seed}", "xlm-roberta", seed=seed)) for seed in (0, 1))
    assert first.tokenizer is second.tokenizer
    tokens = shared_tokens.token_ids(first, SENTENCES, "en")
    assert shared_tokens.token_ids(second, list(SENTENCES), "en") is tokens
    assert fresh == [len(SENTENCES)]
    for ids, expected in zip(tokens.ids, tokenize(first.tokenizer, SENTENCES, first.max_tokens).ids, strict=True):
        np.testing.assert_array_equal(ids, expected)


@pytest.mark.parametrize("change", ["architecture", "vocabulary", "options", "length", "language", "texts", "order"])
def test_whatever_decides_the_tokens_tells_them_apart(tmp_path: Path, fresh: list[int], change: str) -> None:
    texts, language = SENTENCES, "en"
    one = loaded_from(tiny_model(tmp_path / "one", "mbart"))
    shared_tokens.token_ids(one, texts, language)
    folder = tmp_path / "other"
    if change != "architecture":
        shutil.copytree(tmp_path / "one", folder)
    match change:
        case "architecture":
            tiny_model(folder, "xlm-roberta")
        case "vocabulary":
            file = json.loads((folder / "tokenizer.json").read_text())
            file["model"]["vocab"][40][1] -= 5.0  # the same pieces, another segmentation
            (folder / "tokenizer.json").write_text(json.dumps(file))
        case "options":
            file = json.loads((folder / "tokenizer_config.json").read_text())
            (folder / "tokenizer_config.json").write_text(json.dumps(file | {"src_lang": "de_DE"}))
        case "length":
            shutil.rmtree(folder)
            tiny_model(folder, "mbart", positions=32)
        case "language":
            language = "de"
        case "texts":
            texts = [*SENTENCES[:-1], "!"]
        case "order":
            texts = SENTENCES[::-1]
    other = loaded_from(folder)
    found = shared_tokens.token_ids(other, texts, language)
    assert len(fresh) == 2
    expected = tokenize(other.tokenizer, texts, other.max_tokens, language=language)
    assert [ids.tolist() for ids in found.ids] == [ids.tolist() for ids in expected.ids]
    assert (other.tokenizer is one.tokenizer) == (change in {"language", "texts", "order"})


def test_no_two_architectures_share_a_tokeniser_that_differs(tmp_path: Path) -> None:
    seen: dict[str, tuple[Architecture, list[list[int]]]] = {}
    for architecture in ARCHITECTURES:
        loaded = loaded_from(tiny_model(tmp_path / architecture, architecture))
        ids = [one.tolist() for one in shared_tokens.token_ids(loaded, SENTENCES, "en").ids]
        other, known = seen.setdefault(loaded.tokenizer_identity, (architecture, ids))
        assert known == ids, f"{architecture} is taken for {other}"
    assert len(seen) == len(ARCHITECTURES)


def test_a_config_that_asks_for_another_class_is_another_tokeniser(tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "one", "xlm-roberta")
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    config = json.loads((other / "config.json").read_text())
    (other / "config.json").write_text(json.dumps(config | {"_name_or_path": "elsewhere"}))
    assert loaded_from(other).tokenizer is loaded_from(folder).tokenizer
    (other / "config.json").write_text(json.dumps(config | {"tokenizer_class": "BertTokenizer"}))
    assert loaded_from(other).tokenizer is not loaded_from(folder).tokenizer


def test_only_so_many_tokens_and_tokenisers_are_held(tmp_path: Path, fresh: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    one = loaded_from(tiny_model(tmp_path / "one", "bert"))
    size = shared_tokens.token_ids(one, SENTENCES, "en").count
    monkeypatch.setattr(shared_tokens, "MOST", 2 * size)
    shared_tokens.token_ids(one, SENTENCES, "de")
    shared_tokens.token_ids(one, SENTENCES, "en")  # used again: the German ones are now the oldest
    shared_tokens.token_ids(one, SENTENCES, "ru")
    assert len(fresh) == 3
    shared_tokens.token_ids(one, SENTENCES, "en")
    assert len(fresh) == 3
    shared_tokens.token_ids(one, SENTENCES, "de")
    assert len(fresh) == 4
    assert len(shared_tokens._kept) == 2
    for architecture in ("gpt2", "llama", "xglm"):
        loaded_from(tiny_model(tmp_path / architecture, architecture))
    assert len(tokenizer._kept) == tokenizer.KEPT


def test_a_language_told_to_a_shared_tokeniser_does_not_stay(tmp_path: Path) -> None:
    one, two = (loaded_from(tiny_model(tmp_path / f"step{seed}", "mbart", seed=seed)) for seed in (0, 1))
    german, english = (shared_tokens.token_ids(one, ["a"], tag).ids[0].tolist() for tag in ("de", "en"))
    assert german != english
    assert shared_tokens.token_ids(two, ["b"], "fi").ids[0][0] != german[0]
    assert shared_tokens.token_ids(two, ["a b"], "en").ids[0][0] == english[0]
