"""mBART's decoder as a model of its own: another fingerprint, another depth, and the states that transformers gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from isogloss.backend.errors import ModelError
from isogloss.backend.models.encoding.encode import encode
from isogloss.backend.models.encoding.tokens import tokenize
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading.load import load
from isogloss.backend.settings import Settings
from tests.models.tiny import SENTENCES, tiny_model

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = [SENTENCES[0], "a", *SENTENCES[3:6], "Die Fähre"]


def test_the_decoder_is_found_as_another_model(tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "m", "mbart", layers=3)
    encoder, decoder = discover(str(folder)), discover(f"{folder}#decoder")
    assert (encoder.layers, decoder.layers) == (3, 4)
    assert (encoder.name, decoder.name) == ("m", "m decoder")
    one, other = encoder.checkpoints[0], decoder.checkpoints[0]
    assert one.fingerprint != other.fingerprint
    assert (one.part, other.part) == (None, "decoder")
    assert "part" not in one.model_dump(mode="json")  # older entries and specs read as ever
    assert discover(f"{folder}#decoder").checkpoints[0] == other


def test_its_states_are_those_of_the_whole_model(tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "m", "mbart", layers=3)
    settings = Settings(workspace=tmp_path / "workspace", device="cpu")
    loaded = load(discover(f"{folder}#decoder").checkpoints[0], settings)
    assert loaded.layers == 4
    tokens = tokenize(loaded.tokenizer, TEXTS, loaded.max_tokens, language="de")
    found = encode(loaded, tokens, ["mean_special"], language="de").vectors["mean_special"].astype(np.float64)
    tokenizer, model = AutoTokenizer.from_pretrained(folder, src_lang="de_DE"), AutoModel.from_pretrained(folder).eval()
    for row, text in zip(found, TEXTS, strict=True):
        ids = torch.tensor([tokenizer(text)["input_ids"]])
        shifted = torch.cat([ids[:, -1:], ids[:, :-1]], dim=1)  # the last token first
        with torch.no_grad():
            states = model(input_ids=ids, decoder_input_ids=shifted, output_hidden_states=True).decoder_hidden_states
        expected = torch.stack([state[0].mean(0) for state in states]).double().numpy()
        assert row.shape == expected.shape == (5, loaded.dims)
        np.testing.assert_allclose(row, expected, atol=2e-3)
    encoder = load(discover(str(folder)).checkpoints[0], settings)
    other = encode(encoder, tokens, ["mean_special"], language="de").vectors["mean_special"]
    assert not np.allclose(other[:, 1], found[:, 1], atol=1e-2)


def test_what_has_no_such_decoder_is_refused(tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "m", "xlm-roberta")
    with pytest.raises(ModelError, match=r"\(xlm-roberta\) has no decoder"):
        discover(f"{folder}#decoder")
    folder = tiny_model(tmp_path / "t", "mt5")
    with pytest.raises(ModelError, match=r"Leave out #decoder: it is for mbart and bart"):
        discover(f"{folder}#decoder")


def test_it_is_not_trained_and_its_files_are_watched(tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "m", "mbart")
    settings = Settings(workspace=tmp_path / "workspace", device="cpu")
    [checkpoint] = discover(f"{folder}#decoder").checkpoints
    with pytest.raises(ModelError, match="can be measured, not trained"):
        load(checkpoint, settings, full_precision=True)
    tiny_model(folder, "mbart", seed=5)
    with pytest.raises(ModelError, match="have changed since"):
        load(checkpoint, settings)
