"""Masked words are encoded beside what is kept: nothing of theirs is kept, and nothing kept is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from isogloss.backend.errors import ModelError
from isogloss.backend.experiments.alignment.words.vectors import WordEncoder
from isogloss.backend.experiments.spec import Context
from isogloss.backend.experiments.vectors import embeddings
from isogloss.backend.experiments.vectors.one_pass import Text
from isogloss.backend.models.library.discover import discover
from isogloss.backend.settings import Settings
from tests.models.tiny import SENTENCES, tiny_model

if TYPE_CHECKING:
    from pathlib import Path

IDS = [f"s{i}" for i in range(len(SENTENCES))]


def test_masked_words_leave_the_kept_vectors_alone(tmp_path: Path) -> None:
    checkpoint = discover(str(tiny_model(tmp_path / "model", "xlm-roberta"))).checkpoints[0]
    context = Context(Settings(workspace=tmp_path / "workspace", demo=None, device="cpu"))
    embeddings.of_corpus(checkpoint, "corpus", IDS, {"en": SENTENCES}, ["mean"], context)
    before = {file.name: file.read_bytes() for file in (context.workspace / "embeddings").iterdir()}
    assert before
    text = Text(checkpoint, "corpus", "en", IDS, SENTENCES)
    found = WordEncoder(context, 1).encode_masked(text, [(0, 4, 9), (1, 0, 6), (1, 11, 15)], 0.0)
    assert found.vectors.shape[0] == 3
    assert {file.name: file.read_bytes() for file in (context.workspace / "embeddings").iterdir()} == before


def test_a_model_without_a_mask_token_says_so(tmp_path: Path) -> None:
    checkpoint = discover(str(tiny_model(tmp_path / "model", "gpt2"))).checkpoints[0]
    context = Context(Settings(workspace=tmp_path / "workspace", demo=None, device="cpu"))
    with pytest.raises(ModelError, match="no mask token"):
        WordEncoder(context, 1).encode_masked(Text(checkpoint, "corpus", "en", IDS, SENTENCES), [(0, 4, 9)], 0.0)
