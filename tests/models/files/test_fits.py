"""A config.json that describes other weights than lie beside it is refused before anything is built."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from isogloss.backend.errors import ModelError
from isogloss.backend.models.files.fits import check_fits
from isogloss.backend.models.files.weights import ModelFiles
from isogloss.backend.models.library import discover
from tests.models.tiny import ARCHITECTURES, Architecture, tiny_model

if TYPE_CHECKING:
    from pathlib import Path


def files_with(folder: Path, changes: dict[str, Any]) -> ModelFiles:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | changes))
    return ModelFiles(folder, "'tiny'", allow_pickle=False)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_architecture_fits_its_own_weights(tmp_path: Path, architecture: Architecture) -> None:
    check_fits(ModelFiles(tiny_model(tmp_path / "tiny", architecture), "'tiny'", allow_pickle=False))


@pytest.mark.parametrize(
    "changes",
    [
        {"num_hidden_layers": 20_000},
        {"num_hidden_layers": 201},
        {"hidden_size": 1_000_000},
        {"hidden_size": 33},
        {"vocab_size": 10**12},
        {"vocab_size": 1e30},
        {"intermediate_size": 10**9},
        {"num_attention_heads": 10**9},
        {"max_position_embeddings": 10**10},
        {"type_vocab_size": 10**9},
    ],
)
def test_an_absurd_size_is_named(tmp_path: Path, changes: dict[str, Any]) -> None:
    files = files_with(tiny_model(tmp_path / "tiny", "bert"), changes)
    with pytest.raises(ModelError, match="does not fit its weights") as refused:
        check_fits(files)
    if changes != {"hidden_size": 33}:
        assert next(iter(changes)).split("_")[0] in str(refused.value) or "dimensions" in str(refused.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"model_type": "bert", "x": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
        ("[1]", "not a JSON object"),
        ('{"model_type": "bert"', "cannot be read"),
        ('{"model_type": "bert", "num_hidden_layers": ' + "9" * 5000 + "}", "cannot be read"),
    ],
)
def test_a_broken_config_is_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    folder = tiny_model(tmp_path / "tiny", "bert")
    (folder / "config.json").write_text(text)
    with pytest.raises(ModelError, match=said):
        discover.discover(str(folder))
