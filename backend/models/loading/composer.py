"""Composer's checkpoints (`ep0-ba20000-rank0.pt`) of a ModernBERT as `transformers` folders with safetensors.

A file holds a dictionary with the weights under `state`, `model`, each named `model.` and what the wrapped model calls it:
`bert.encoder.layers.0.attn.Wqkv.weight` in ModernBERT's and mmBERT's trainings (FlexBERT), `model.layers.0…` where the model
was one of `transformers`. The rest (optimiser, clocks, random states) is not read.
"""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING, Any

import torch

from isogloss.backend.errors import ModelError
from isogloss.backend.models.files.steps import parse
from isogloss.backend.models.files.weights import TOKENIZER_FILES
from isogloss.backend.models.loading.fairseq import read_weights_only

if TYPE_CHECKING:
    from pathlib import Path

    from torch import Tensor

ARCHITECTURE = "modernbert"
_WRAPPED = re.compile(r"^(?:model\.){0,2}(?:bert\.)?(?:encoder\.)?(?=embeddings\.|layers\.|final_norm\.)")


def convert(path: Path, like: Path, into: Path) -> Path:
    """Write a checkpoint as a folder in `into`, named after its stage and file; returns that folder.

    `like` is a folder with the `config.json` and tokeniser of its model. Reads with `weights_only`. Raises `ModelError` where
    the file is no checkpoint of Composer, or does not fit the configuration.
    """
    from transformers import AutoConfig, ModernBertModel

    shown = f"'{path.name}'"
    weights = _weights(path, shown)
    config = AutoConfig.from_pretrained(like, local_files_only=True)
    if config.model_type != ARCHITECTURE:
        raise ModelError(f"'{like.name}' is {config.model_type}: checkpoints of Composer are read of {ARCHITECTURE} alone.")
    model = ModernBertModel(config)
    try:
        report = model.load_state_dict({name: value.float() for name, value in weights.items()}, strict=False)
    except RuntimeError as error:
        raise ModelError(f"The weights of {shown} do not fit the sizes in '{like.name}'. Name the model it is of.") from error
    if wrong := [*report.missing_keys, *report.unexpected_keys]:
        raise ModelError(f"{shown} and '{like.name}' differ in {len(wrong)} weights, {wrong[0]} among them. Name its model.")
    stage = parse(path.parent.name).stage
    folder = into / (f"{stage}-{path.stem}" if stage and not parse(path.name).stage else path.stem)
    model.save_pretrained(folder)
    for name in TOKENIZER_FILES:
        if (like / name).is_file():
            shutil.copy(like / name, folder / name)
    return folder


def _weights(path: Path, shown: str) -> dict[str, Tensor]:
    """Return the encoder's weights by the names that `transformers` gives them; heads are left out."""
    try:
        held: Any = read_weights_only(path)
    except MemoryError:
        raise
    except Exception as error:  # a damaged or hostile file makes torch raise almost anything
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
        raise ModelError(f"{shown} cannot be opened ({reason[:200]}). Copy it again, or choose another one.") from error
    state = held.get("state") if isinstance(held, dict) else None
    named = state.get("model") if isinstance(state, dict) else None
    tensors = named.items() if isinstance(named, dict) else ()
    weights = {
        _WRAPPED.sub("", str(name)): value
        for name, value in tensors
        if isinstance(value, torch.Tensor) and _WRAPPED.match(str(name))
    }
    if not weights:
        raise ModelError(f"{shown} is no checkpoint of Composer: it has no weights of a ModernBERT under state, model.")
    return weights
