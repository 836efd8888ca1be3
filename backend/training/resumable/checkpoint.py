"""Checkpoints of a run as folders that `transformers` loads: `checkpoint-<step>`."""

from __future__ import annotations

import json
import os
import shutil
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save

from isogloss.backend.errors import ModelError
from isogloss.backend.files import TEMPORARY, not_written, sync

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from transformers import PreTrainedModel, PreTrainedTokenizerFast


WEIGHTS = "model.safetensors"


@contextmanager
def publish_folder(folder: Path, within: Path | None = None) -> Iterator[Path]:
    """Yield a temporary folder beside `folder`, or `within` another of its file system, that becomes it on a clean exit.

    Readers see all of its files or none, whatever is killed and whenever. Raises `StoreError` where it cannot be written.
    """
    temporary = (within or folder.parent) / f"{TEMPORARY}{uuid.uuid4().hex}"
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary.mkdir(parents=True)
        yield temporary
        for path in temporary.rglob("*"):
            if path.is_file():
                sync(path)
        os.replace(temporary, folder)
    except OSError as error:
        raise not_written(folder, error, "folder", "run the same again: it goes on from there.") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def load_weights(folder: Path) -> dict[str, torch.Tensor]:
    """Return the tensors of a pre-trained model, on the CPU. Raises `ModelError` where they are damaged."""
    try:
        return load_file(folder / WEIGHTS)
    except (OSError, SafetensorError) as error:
        raise ModelError(f"The weights in {folder.name} cannot be read: {error}. Pre-train the model again.") from error


def load_into(model: torch.nn.Module, weights: dict[str, torch.Tensor], folder: Path) -> None:
    """Give `model` the parameters that were read from `folder`. Raises `ModelError` where they are of another shape."""
    parameters = dict(model.named_parameters())
    if {name: value.shape for name, value in weights.items()} != {name: value.shape for name, value in parameters.items()}:
        raise ModelError(f"The weights in {folder.name} are of another shape. Tune with the options it was pre-trained with.")
    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(weights[name])


def save_tokenizer(folder: Path, tokenizer: PreTrainedTokenizerFast) -> None:
    """Write `tokenizer` to the new `folder`, whole or not at all."""
    with publish_folder(folder) as temporary:
        _write_tokenizer(temporary, tokenizer)


def save_checkpoint(
    folder: Path,
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    *,
    precision: Literal["float16", "float32"],
) -> None:
    """Write `model` and `tokenizer` to the new `folder`, whole or not at all; a folder that exists is left as it is.

    Weights lie in `model.safetensors` in `precision`, tied ones once. The configuration says float32 either way: that is what
    they were trained in, and it makes `from_pretrained` widen float16 on load, which a CPU needs. Raises `StoreError` where
    the folder cannot be written.
    """
    if folder.exists():
        return
    dtype = torch.float16 if precision == "float16" else torch.float32
    weights = {name: value.to("cpu", dtype).contiguous() for name, value in _weights(model).items()}
    with publish_folder(folder) as temporary:
        (temporary / WEIGHTS).write_bytes(save(weights, {"format": "pt"}))
        model.config.architectures = [type(model).__name__]
        model.config.dtype = torch.float32
        model.config.save_pretrained(temporary)
        _write_tokenizer(temporary, tokenizer)


def _weights(model: PreTrainedModel) -> dict[str, torch.Tensor]:
    """Return each tensor once. Tied ones go by their name in the encoder: under the head's, `AutoModel` would not find them."""
    prefix = f"{model.base_model_prefix}."
    state = model.state_dict()
    seen: set[int] = set()
    kept: dict[str, torch.Tensor] = {}
    for name in sorted(state, key=lambda name: not name.startswith(prefix)):
        if (address := state[name].data_ptr()) not in seen:
            seen.add(address)
            kept[name] = state[name].detach()
    return kept


def _write_tokenizer(folder: Path, tokenizer: PreTrainedTokenizerFast) -> None:
    """Without indentation: a tokeniser is in every checkpoint, and half of it would be spaces."""
    tokenizer.save_pretrained(folder)
    path = folder / "tokenizer.json"
    value = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
