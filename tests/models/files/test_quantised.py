"""Quantised weights load where what they need is installed, and are refused when they are added where it is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from isogloss.backend.errors import ModelError
from isogloss.backend.models.encoding.encode import encode
from isogloss.backend.models.files import hub, quantised
from isogloss.backend.models.files.quantised import NEEDS, check_quantised, is_quantised
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading.load import load
from isogloss.backend.settings import Settings
from tests.models.tiny import SENTENCES, tiny_model

SAID: dict[str, dict[str, Any]] = {
    "bitsandbytes": {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4"},
    "gptq": {"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": False},
    "awq": {"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemm", "zero_point": True},
    "compressed-tensors": {"quant_method": "compressed-tensors", "format": "pack-quantized", "config_groups": {}},
    "fp8": {"quant_method": "fp8", "weight_block_size": [128, 128], "activation_scheme": "dynamic", "fmt": "e4m3"},
}
"""As published models say it."""


def saying(folder: Path, said: Any) -> Path:
    """A tiny model whose config.json says that it is quantised so."""
    tiny_model(folder, "llama", dims=64)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"quantization_config": said}))
    return folder


@pytest.mark.parametrize("method", SAID)
def test_what_is_not_installed_is_named_when_a_model_is_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    monkeypatch.setattr(quantised, "_there", lambda _module: False)
    name, modules = NEEDS[method]
    folder = saying(tmp_path / "model", SAID[method])
    with pytest.raises(ModelError) as caught:
        discover(str(folder))
    packages = " and ".join(module.replace("_", "-") for module in modules)
    assert str(caught.value).startswith(f"The weights of 'model' are quantised ({name}), and {packages} ")
    assert "Install " in str(caught.value)


def test_a_model_of_the_hub_is_refused_before_its_weights_are_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quantised, "_there", lambda _module: False)
    folder = saying(tmp_path / "model", SAID["awq"])
    monkeypatch.setattr(hub, "resolve", lambda _id, name: hub.Revision(name or "main", "0" * 40))
    monkeypatch.setattr(hub, "listing", lambda _id, _commit: hub.Listing(frozenset({"model.safetensors"}), True))
    monkeypatch.setattr(hub, "config_path", lambda _id, _commit: folder / "config.json")
    with pytest.raises(ModelError, match=r"The weights of 'some/awq' are quantised \(AWQ\), and gptqmodel and accelerate are"):
        discover("some/awq")


@pytest.mark.parametrize("said", [{"quant_method": "vptq"}, {"quant_method": 3}, {"bits": 4}, "4bit", []])
def test_other_ways_are_refused(tmp_path: Path, said: Any) -> None:
    with pytest.raises(ModelError, match=r"quantised in a way that Isogloss does not load \(.+\)\. Choose the model"):
        discover(str(saying(tmp_path / "model", said)))


def test_older_files_of_bitsandbytes_say_no_method(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quantised, "_there", lambda module: module == "accelerate")
    with pytest.raises(ModelError, match=r"and bitsandbytes is not installed\. Install it where workers run"):
        check_quantised({"quantization_config": {"load_in_8bit": True}}, "'model'")
    assert not is_quantised({"quantization_config": None})


def test_weights_in_eight_bits_load_and_are_near_the_whole_ones(tmp_path: Path) -> None:
    pytest.importorskip("accelerate")
    settings = Settings(workspace=tmp_path / "workspace", demo=None, device="cpu", memory_gib=0.001)
    whole = tiny_model(tmp_path / "whole", "llama", dims=64)
    folder = saying(tmp_path / "model", SAID["fp8"])
    weights: dict[str, torch.Tensor] = {}
    for name, weight in load_file(folder / "model.safetensors").items():
        weights[name] = weight
        if name.endswith("_proj.weight"):
            scale = weight.abs().max() / 448  # the largest of e4m3
            weights |= {name: (weight / scale).to(torch.float8_e4m3fn), f"{name}_scale_inv": scale.reshape(1, 1)}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    checkpoint = discover(str(folder)).checkpoints[0]
    loaded = load(checkpoint, settings, layered=True)
    assert loaded.layered is None  # its layers are made whole while they are loaded
    free = Settings(workspace=tmp_path / "workspace", demo=None, device="cpu")
    one, other = (
        encode(each, SENTENCES, ["mean"]).vectors["mean"].astype(float)
        for each in (loaded, load(discover(str(whole)).checkpoints[0], free))
    )
    assert np.array_equal(one[:, 0], other[:, 0])
    cosines = (one * other).sum(-1) / np.linalg.norm(one, axis=-1) / np.linalg.norm(other, axis=-1)
    assert 0.98 < cosines.min() < cosines[:, 1:].max() < 1 - 1e-7
    with pytest.raises(ModelError, match="is quantised: it can be measured, not trained"):
        load(checkpoint, free, full_precision=True)
