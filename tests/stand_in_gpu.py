"""A GPU that is none: tensors that say they are on the device `gpu`, whose numbers lie beside them on the CPU.

As on a GPU, an operation refuses a tensor of the host among those of the device (but for a single number, and for indices), and
numpy refuses what is on the device. What it computes is what the CPU computes, so results can be compared number by number.
Made of torch's own means for a device written in Python; it is there while `stand_in_gpu` lasts.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.backend_registration import _DummyBackendModule, _setup_privateuseone_for_python_backend

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "gpu"
COPIES = {"copy_", "_to_copy", "copy", "_copy_from", "_copy_from_and_resize"}
INDICES = {"index": 1, "index_put": 1, "index_put_": 1, "_unsafe_index": 1, "_index_put_impl_": 1}
"""Operations whose second argument may lie on the host, as torch has it on CUDA."""


class MixedDevicesError(RuntimeError):
    """A tensor of the host among those of the device."""


class OnGpu(torch.Tensor):
    """A tensor of the stand-in; `numbers` is what it holds, on the CPU."""

    numbers: torch.Tensor

    @staticmethod
    def __new__(cls, numbers: torch.Tensor) -> OnGpu:
        made = torch.Tensor._make_wrapper_subclass(
            cls,
            numbers.shape,
            strides=numbers.stride(),
            storage_offset=numbers.storage_offset(),
            dtype=numbers.dtype,
            device=torch.device(NAME, 0),
        )
        made.numbers = numbers
        return made

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return f"OnGpu({self.numbers})"

    def tolist(self) -> Any:
        return self.numbers.tolist()

    @classmethod
    def __torch_dispatch__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return computed(function, args, kwargs or {})


class _Backend(_DummyBackendModule):
    """What torch asks a device's module for."""

    def get_amp_supported_dtype(self) -> list[torch.dtype]:
        return [torch.bfloat16, torch.float16]


class _Making(TorchDispatchMode):
    """Sees also what has no tensor of the device among its arguments: what makes one, and what copies one there."""

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return computed(function, args, kwargs or {})


def computed(function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Compute on the CPU what `function` gives, and put it where torch would."""
    flat, _ = pytree.tree_flatten((args, kwargs))
    name = function.overloadpacket.__name__
    on_gpu = any(isinstance(each, OnGpu) for each in flat)
    asked = kwargs.get("device")
    if on_gpu and name not in COPIES:
        _refuse_mixed(name, args, kwargs)
    there = torch.device(asked).type == NAME if asked is not None else on_gpu
    if asked is not None:
        kwargs = {**kwargs, "device": torch.device("cpu")}
    plain_args, plain_kwargs = pytree.tree_map_only(OnGpu, lambda each: each.numbers, (args, kwargs))
    made = function(*plain_args, **plain_kwargs)
    if not (on_gpu or there):
        return made
    if name == "_to_copy" and made is plain_args[0]:
        made = made.clone()
    own = {id(each.numbers): each for each in flat if isinstance(each, OnGpu)}
    if name == "copy_":
        return args[0]

    def placed(each: torch.Tensor) -> torch.Tensor:
        if id(each) in own:  # in place: the very tensor that was given
            return own[id(each)]
        return OnGpu(each) if there else each

    return pytree.tree_map_only(torch.Tensor, placed, made)


def _refuse_mixed(name: str, args: Any, kwargs: dict[str, Any]) -> None:
    for place, argument in enumerate([*args, *kwargs.values()]):
        if INDICES.get(name) == place:
            continue
        for each in pytree.tree_flatten(argument)[0]:
            if isinstance(each, torch.Tensor) and not isinstance(each, OnGpu) and each.dim() > 0:
                raise MixedDevicesError(f"{name}: a tensor {list(each.shape)} of the host among those of the device")


def _empty(size: Any, stride: Any = None, *, dtype: Any = None, **_: Any) -> OnGpu:
    """What torch makes on the device by itself, as for an index that is a list."""
    return OnGpu(torch.empty(size, dtype=dtype) if stride is None else torch.empty_strided(size, stride, dtype=dtype))


def _copied(given: torch.Tensor, target: torch.Tensor, non_blocking: bool = False) -> torch.Tensor:
    plain = [each.numbers if isinstance(each, OnGpu) else each for each in (given, target)]
    plain[1].copy_(plain[0])
    return target


@cache
def _register() -> torch.library.Library:
    """Once in a process; the library is kept, since what it registers goes with it."""
    _setup_privateuseone_for_python_backend(NAME, backend_module=_Backend())
    made = torch.library.Library("aten", "IMPL")
    made.impl("empty_strided", _empty, "PrivateUse1")
    made.impl("_copy_from", _copied, "PrivateUse1")
    made.impl("empty.memory_format", lambda size, **options: _empty(size, **options), "PrivateUse1")
    return made


def _moved(module: nn.Module, *asked: Any, **_: Any) -> nn.Module | None:
    """Put a module on the stand-in, weights that are tied as one; None where it is asked for something else."""
    if not asked or not isinstance(asked[0], str | torch.device) or torch.device(asked[0]).type != NAME:
        return None
    made: dict[int, torch.Tensor] = {}
    for each in module.modules():
        for name, weight in each._parameters.items():
            if weight is not None:
                new = made.setdefault(id(weight), nn.Parameter(weight.detach().to(NAME), weight.requires_grad))
                each._parameters[name] = new
        for name, buffer in each._buffers.items():
            if buffer is not None:
                each._buffers[name] = made.setdefault(id(buffer), buffer.to(NAME))
    return module


@contextmanager
def stand_in_gpu() -> Iterator[torch.device]:
    """While it lasts there is the device `gpu`."""
    _register()
    inference, to = torch.inference_mode, nn.Module.to
    nn.Module.to = lambda module, *asked, **named: _moved(module, *asked, **named) or to(module, *asked, **named)
    torch.inference_mode = torch.no_grad  # views of tensors written in Python cannot be changed in it
    try:
        with _Making():
            yield torch.device(NAME, 0)
    finally:
        torch.inference_mode, nn.Module.to = inference, to
