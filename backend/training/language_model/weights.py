"""A language model on disk: a folder that `transformers` loads as GPT2LMHeadModel too."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import torch
from safetensors.torch import save_file

from isogloss.backend.training.language_model.model import LanguageModel
from isogloss.backend.training.resumable.checkpoint import WEIGHTS, load_into, load_weights, publish_folder

if TYPE_CHECKING:
    from pathlib import Path

    from torch import Tensor

    from isogloss.backend.training.language_model.options import Architecture


def save_model(folder: Path, model: LanguageModel, shape: Architecture) -> None:
    """Write `model` to the new `folder`, whole or not at all; a folder that exists is left as it is.

    Raises `StoreError` where it cannot be written.
    """
    if folder.exists():
        return
    tensors = {f"transformer.{name}": _turned(name, value).cpu() for name, value in model.state_dict().items()}
    with publish_folder(folder) as temporary:
        save_file(tensors, temporary / WEIGHTS, {"format": "pt"})
        (temporary / "config.json").write_text(json.dumps(_config(shape), indent=1), encoding="utf-8")


def load_model(folder: Path, shape: Architecture) -> LanguageModel:
    """Return the model that `save_model` wrote, on the CPU. Raises `ModelError` where it is damaged or of another shape."""
    named = {name.removeprefix("transformer."): value for name, value in load_weights(folder).items()}
    model = LanguageModel(shape)
    load_into(model, {name: _turned(name, value) for name, value in named.items()}, folder)
    return model


def _turned(name: str, value: Tensor) -> Tensor:
    """Transpose the weights of linear layers: `transformers` keeps GPT-2's as [in, out], torch as [out, in]."""
    linear = name.endswith(("c_attn.weight", "c_proj.weight", "c_fc.weight"))
    return value.detach().to(torch.float32).t().contiguous() if linear else value.detach().to(torch.float32).contiguous()


def _config(shape: Architecture) -> dict[str, Any]:
    return {
        "model_type": "gpt2",
        "architectures": ["GPT2LMHeadModel"],
        "vocab_size": shape.vocabulary,
        "n_positions": shape.context,
        "n_embd": shape.dims,
        "n_layer": shape.layers,
        "n_head": shape.heads,
        "activation_function": "gelu_new",
        "resid_pdrop": shape.dropout,
        "embd_pdrop": shape.dropout,
        "attn_pdrop": shape.dropout,
        "tie_word_embeddings": True,
        "bos_token_id": None,
        "eos_token_id": None,
        "dtype": "float32",
    }
