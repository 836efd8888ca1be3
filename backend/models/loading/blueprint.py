"""What a configuration describes, built without memory and held against the weights that there are.

`backend.models.files.fits` looks at the numbers that it knows by name. Every architecture has others (groups, experts, kinds of
layers, kernels): here the model itself says what they come to, before a byte is allocated for it.
"""

from __future__ import annotations

import copy
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.modules.module import register_module_module_registration_hook
from transformers import AutoModel

from backend.errors import ModelError
from backend.models.files.fits import numbers, unfit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import Tensor

    from backend.models.files.weights import ModelFiles

SLACK = 1 << 25
"""Numbers that a model may have beyond those in its files: a pooler, a table of positions, a mask. 128 MiB in float32."""
PARTS, PARTS_PER_TENSOR = 2_000, 10
"""Parts (modules) that a model may have, and more for every tensor; layers that share weights have more parts than tensors."""
PACKED = 8
"""Numbers that one of a quantised file may hold."""


def check_size(config: Any, files: ModelFiles) -> None:
    """Raise `ModelError` where `config` describes more than the weights hold: many more parts, or far larger ones.

    The model is built on torch's meta device, where a tensor has a shape and no content, and dropped. Whatever else is wrong
    with a configuration is raised as `transformers` raises it.
    """
    held = sum(map(torch.Size.numel, map(torch.Size, files.tensors.values())))
    if not files.tensors:  # pickles are not opened to be looked at: a number takes a byte or more
        held = sum(path.stat().st_size for path in files.weights)
    if "quantization_config" in files.config:
        held *= PACKED
    with torch.device("meta"), _counting(files):
        model = AutoModel.from_config(copy.deepcopy(config), trust_remote_code=False)  # type: ignore[no-untyped-call]
    tensors: dict[str, Tensor] = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    if sum(each.numel() for each in tensors.values()) > held + SLACK:
        name = max(tensors, key=lambda each: tensors[each].numel())
        shape = list(tensors[name].shape)
        raise _too_large(files, f"'{name}' of shape {shape}", shape)


@contextmanager
def _counting(files: ModelFiles) -> Iterator[None]:
    """Raise `ModelError` as soon as this thread has given a model more parts than the weights can be of."""
    most, built, thread = PARTS + PARTS_PER_TENSOR * len(files.tensors), 0, threading.get_ident()

    def count(_whole: Any, _name: str, _part: Any) -> None:
        nonlocal built
        if threading.get_ident() == thread:  # another checkpoint may be read at the same time
            built += 1
            if built > most:
                raise _too_large(files, f"more than {most:,} parts")

    handle = register_module_module_registration_hook(count)
    try:
        yield
    finally:
        handle.remove()


def _too_large(files: ModelFiles, what: str, shape: list[int] | None = None) -> ModelError:
    """Say what is too large, and by which of the configuration's numbers: one that the weights do not have, the largest."""
    known = {size for each in files.tensors.values() for size in each}
    found = [(name, value) for name, value in numbers(files.config) if value not in known and not name.endswith("_id")]
    if shape and (in_shape := [pair for pair in found if pair[1] in shape]):
        found = in_shape
    name, value = max(found, key=lambda pair: pair[1], default=("its numbers", 0))
    return unfit(f"{name} {value:,}, which makes {what}, and the weights have nothing of this size", files.shown)
