"""A model without its weights: what stands around its layers is in memory, the layers and the embeddings are names and shapes.

What stands around them (norms, positions, tables that no file holds) takes some thousandths of a model. It runs on the CPU, as
does looking up embeddings; the layers run where the device is.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from transformers import AutoModel

from isogloss.backend.errors import ModelError
from isogloss.backend.models.layered.mapped import Lying, where_they_lie
from isogloss.backend.models.memory import TRIED

if TYPE_CHECKING:
    from isogloss.backend.models.files.weights import ModelFiles


@dataclass(frozen=True)
class Skeleton:
    """What is in memory of a model that is run layer by layer."""

    module: Any
    """An `nn.Module` of `transformers` in eval mode, whose layers and input embeddings are on torch's meta device."""
    layers: list[Any]
    """Its layers, in their order: modules within `module`."""
    lying: list[dict[str, Lying]]
    """Of each layer, where its weights lie, by their names in it."""
    embeddings: Lying
    """Where the table of the input embeddings lies, `[pieces, dims]`."""
    dtype: torch.dtype
    """What layers are run in."""


def build(files: ModelFiles, config: Any, dtype: torch.dtype) -> Skeleton:
    """Return the skeleton of what is run of a folder's model. Raises `ModelError` where it cannot be run layer by layer."""
    refuse_untried(files)
    with torch.device("meta"):
        model = AutoModel.from_config(copy.deepcopy(config), dtype=dtype, trust_remote_code=False)  # type: ignore[no-untyped-call]
    if getattr(model, "pooler", None) is not None:
        model.pooler = None  # not run
    lying = where_they_lie(model, files)
    module = (model.get_encoder() if files.shape.encoder_decoder else model).eval().requires_grad_(False)
    prefix = next(name for name, each in model.named_modules() if each is module)
    layers = layers_of(module, files)
    names = {id(each): name for name, each in model.named_modules()}
    inside = [names[id(layer)] for layer in layers]
    table = f"{names[id(module.get_input_embeddings())]}.weight"
    _fill(model, {name: at for name, at in lying.items() if not _below(name, inside) and name != table}, prefix, dtype)
    _restore_buffers(model)
    return Skeleton(
        module=module,
        layers=layers,
        lying=[{name[len(one) + 1 :]: at for name, at in lying.items() if _below(name, [one])} for one in inside],
        embeddings=lying[table],
        dtype=dtype,
    )


def refuse_untried(files: ModelFiles) -> None:
    """Raise `ModelError` where a model's architecture is none of `TRIED`, or its weights are no safetensors."""
    architecture = files.shape.architecture
    if architecture not in TRIED or files.config.get("conv_kernel_size"):
        raise ModelError(
            f"{files.shown} does not fit into the memory there is, and its architecture ({architecture}) is none of those that "
            f"can be run layer by layer: {', '.join(TRIED)}. Choose a device with more memory or a smaller model."
        )
    if not files.tensors:
        raise ModelError(
            f"{files.shown} does not fit into the memory there is, and only safetensors can be run layer by layer. Save it "
            "with save_pretrained, or choose a device with more memory."
        )


def layers_of(module: Any, files: ModelFiles) -> list[Any]:
    """Return the layers of what is run: the one list of as many modules as it has layers, within no other."""
    lists = [each for each in module.modules() if isinstance(each, nn.ModuleList) and len(each) == files.shape.layers]
    within = {id(below) for each in lists for layer in each for below in layer.modules()}
    outermost = [each for each in lists if id(each) not in within]
    if len(outermost) != 1:
        raise ModelError(
            f"{files.shown} cannot be run layer by layer: {len(outermost)} lists of its modules have {files.shape.layers} "
            "parts. Choose a device into which the whole model fits."
        )
    return list(outermost[0])


def _below(name: str, modules: list[str]) -> bool:
    return any(name.startswith(f"{one}.") for one in modules)


def _fill(model: Any, lying: dict[str, Lying], prefix: str, dtype: torch.dtype) -> None:
    """Read what stands around the layers of the module `prefix` into memory."""
    for name, at in lying.items():
        if prefix and not name.startswith(f"{prefix}."):
            continue  # the other half of an encoder-decoder
        path, _, own = name.rpartition(".")
        parent = model.get_submodule(path)
        read = at.mapped().clone()
        read = read.to(dtype) if read.is_floating_point() else read
        if own in parent._parameters:
            parent._parameters[own] = nn.Parameter(read, requires_grad=False)
        else:
            parent._buffers[own] = read


def _restore_buffers(model: Any) -> None:
    """Give the tables that no file holds (frequencies, scales, positions) the values that they have when a model is made.

    As `transformers` does after loading: what is marked as read keeps its value.
    """
    for name, buffer in list(model.named_buffers()):
        if buffer.is_meta:
            path, _, own = name.rpartition(".")
            model.get_submodule(path)._buffers[own] = torch.empty_like(buffer, device="cpu")
        else:
            buffer._is_hf_initialized = True
    for parameter in model.parameters():
        parameter._is_hf_initialized = True
    model.initialize_weights()
