"""What a configuration describes, built without memory and held against the weights that there are.

`backend.models.files.fits` looks at the numbers that it knows by name. Every architecture has others (groups, experts, kinds of
layers, kernels): here the model itself says what they come to, before a byte is allocated for it.
"""

from __future__ import annotations

import copy
import math
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.modules.module import register_module_module_registration_hook
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from transformers import AutoModel

from isogloss.backend.errors import ModelError
from isogloss.backend.models.files.fits import numbers, unfit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import Tensor

    from isogloss.backend.models.files.weights import ModelFiles

SLACK = 1 << 25
"""Numbers that a model may have beyond those in its files: a pooler, a table of positions, a mask. 128 MiB in float32."""
PARTS, PARTS_PER_TENSOR = 2_000, 10
"""Parts (modules) that a model may have, and more for every tensor; layers that share weights have more parts than tensors."""
STEPS, STEPS_PER_PART = 20_000, 100
"""Operations that a run over a few tokens may take, and more for every part; those that go token by token take the most."""
PACKED = 8
"""Numbers that one of a quantised file may hold."""
_LOOKING = {getattr(torch.Tensor, name) for name in ("item", "tolist", "__bool__", "__int__", "__float__", "__index__")}
TOKENS = 16
"""Of the text that is run without content."""


def check_size(config: Any, files: ModelFiles) -> None:
    """Raise `ModelError` where `config` describes more than the weights hold.

    That is: many more parts, far larger ones, or a run over a few tokens that takes far more memory or steps than they explain.
    model is built and run on torch's meta device, where a tensor has a shape and no content. Whatever else is wrong with a
    configuration is raised as `transformers` raises it.
    """
    most = _held(files) + SLACK
    with torch.device("meta"):
        with _counting(files):
            model = AutoModel.from_config(copy.deepcopy(config), dtype=torch.bfloat16, trust_remote_code=False)  # type: ignore[no-untyped-call]
        tensors: dict[str, Tensor] = {**dict(model.named_parameters()), **dict(model.named_buffers())}
        if sum(each.numel() for each in tensors.values()) > most:
            name = max(tensors, key=lambda each: tensors[each].numel())
            shape = list(tensors[name].shape)
            raise _too_large(files, f"'{name}' of shape {shape}", shape)
        run = model.get_encoder() if files.shape.encoder_decoder else model
        steps = STEPS + STEPS_PER_PART * sum(1 for _ in run.modules())
        # What hangs on the content of tensors cannot be run so; whether the model runs at all is seen when it is loaded.
        with suppress(_NotFollowedError), _Following(files, most, steps):
            _follow(run.eval())


def _held(files: ModelFiles) -> int:
    """Count the numbers that the files of the weights hold, at most."""
    if not files.tensors:  # pickles are not opened to be looked at: a number takes a byte or more
        return sum(path.stat().st_size for path in files.weights)
    return sum(map(math.prod, files.tensors.values())) * (PACKED if "quantization_config" in files.config else 1)


class _NotFollowedError(Exception):
    """A run needs the content of tensors."""


def _follow(run: Any) -> None:
    try:
        with torch.inference_mode(), _NoContent():
            ids = torch.zeros(2, TOKENS, dtype=torch.int64)
            run(input_ids=ids, attention_mask=torch.ones_like(ids), output_hidden_states=True, return_dict=True)
    except (ModelError, MemoryError):
        raise
    except Exception as error:
        raise _NotFollowedError from error


class _NoContent(TorchFunctionMode):
    """Answers 0 or false where a run looks into a tensor: is anything masked, is any attention global."""

    def __torch_function__(self, func: Any, _types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func in _LOOKING and args[0].is_meta:
            value = torch.zeros(args[0].shape, dtype=args[0].dtype, device="cpu")
            return func(value, *args[1:], **(kwargs or {}))
        return func(*args, **(kwargs or {}))


class _Following(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Raises `ModelError` after a tensor of more than `most` numbers, or more than `steps` operations."""

    def __init__(self, files: ModelFiles, most: int, steps: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.files, self.most, self.steps, self.done = files, most, steps, 0

    def __torch_dispatch__(self, func: Any, _types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = func(*args, **(kwargs or {}))
        self.done += 1
        if self.done > self.steps:
            raise _too_large(self.files, f"a run over {TOKENS} tokens of more than {self.steps:,} steps")
        for each in made if isinstance(made, (tuple, list)) else (made,):
            if isinstance(each, torch.Tensor) and each.numel() > self.most:
                raise _too_large(self.files, f"a run over {TOKENS} tokens with a tensor of shape {list(each.shape)}")
        return made


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
