"""A model run layer by layer over many batches: each batch's forward pass waits before a layer until all have come so far.

The pass is the model's own, run once: it is suspended in a coroutine before its next layer, and goes on when that layer's
weights are there. So whatever an architecture does around its layers is done, and the weights are read once, not once a batch.
At any time one layer's weights and what one batch needs in it are in memory (and, asked for ahead, the next layer's in the
system's cache).
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from greenlet import getcurrent, greenlet
from torch import nn
from torch.utils._pytree import tree_map

from isogloss.backend.errors import ModelError
from isogloss.backend.models.layered.mapped import ask_ahead
from isogloss.backend.models.layered.shelf import Berth

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from torch import Tensor

    from isogloss.backend.models.layered.shelf import Shelf
    from isogloss.backend.models.layered.skeleton import Skeleton


@dataclass
class _Pass:
    """One batch on its way."""

    number: int
    inputs: Mapping[str, Tensor]
    berth: Berth
    at: int = -1
    """The layer that it is in, or was in last."""
    shelved: dict[int, Tensor] = field(default_factory=dict)
    """What was copied to the device for the present layer, by its address there → what it is a copy of."""


class LayerByLayer:
    """Runs batches through a skeleton's layers on `device`."""

    def __init__(self, skeleton: Skeleton, device: torch.device, shown: str) -> None:
        self._skeleton, self._device, self._shown = skeleton, device, shown
        self._main: Any = None
        self._passes: dict[Any, _Pass] = {}

    def run(
        self,
        batches: Sequence[Mapping[str, Tensor]],
        shelf: Shelf,
        sink: Callable[[int, int, Tensor], None],
        tick: Callable[[], None],
    ) -> None:
        """Run every batch through every layer.

        `batches` are the model's inputs, on the host. `sink` gets (batch, layer, hidden states `[rows, tokens, dims]` on the
        device) of each layer as soon as it is there, 0 being the first layer's input and the last what the model gives. `tick`
        is called before each batch in each layer, and may raise. Raises what the model, `sink` and `tick` raise.
        """
        skeleton, self._main = self._skeleton, getcurrent()
        on_way = [greenlet(partial(self._forward, sink)) for _ in batches]
        self._passes = {
            each: _Pass(number, inputs, Berth(shelf)) for number, (each, inputs) in enumerate(zip(on_way, batches, strict=True))
        }
        try:
            with self._hooked(sink), torch.inference_mode():
                for number, layer in enumerate(skeleton.layers):
                    following = skeleton.lying[number + 1 : number + 2]
                    with self._weights(layer, skeleton.lying[number]):
                        ask_ahead(at for each in following for at in each.values())
                        for each in on_way:
                            tick()
                            each.switch()
                            self._check_place(each, number)
        finally:
            for each in on_way:
                if not each.dead:
                    each.throw()
            self._passes = {}

    def _check_place(self, each: Any, number: int) -> None:
        last = number == len(self._skeleton.layers) - 1
        if self._passes[each].at != number or each.dead != last:
            raise ModelError(
                f"{self._shown} cannot be run layer by layer: it does not run its layers one after the other. "
                "Choose a device into which the whole model fits."
            )

    def _forward(self, sink: Callable[[int, int, Tensor], None]) -> None:
        here = self._passes[getcurrent()]
        output = self._skeleton.module(**here.inputs, return_dict=True)
        sink(here.number, len(self._skeleton.layers), output.last_hidden_state.to(self._device))

    @contextmanager
    def _weights(self, layer: Any, lying: Mapping[str, Any]) -> Iterator[None]:
        """Give a layer its weights; copied where they are of another kind, or needed on a GPU, else used where they lie."""
        shapes = {name: layer.get_parameter(name) for name, _ in layer.named_parameters()}
        for name, at in lying.items():
            path, _, own = name.rpartition(".")
            parent = layer.get_submodule(path)
            mapped = at.mapped()
            kind = self._skeleton.dtype if mapped.is_floating_point() else mapped.dtype
            ready = mapped.to(self._device, kind)
            if own in parent._parameters:
                parent._parameters[own] = nn.Parameter(ready, requires_grad=False)
            else:
                parent._buffers[own] = ready
        for name, buffer in layer.named_buffers():
            path, _, own = name.rpartition(".")
            layer.get_submodule(path)._buffers[own] = buffer.to(self._device)
        try:
            yield
        finally:
            for name, parameter in shapes.items():
                path, _, own = name.rpartition(".")
                layer.get_submodule(path)._parameters[own] = parameter

    @contextmanager
    def _hooked(self, sink: Callable[[int, int, Tensor], None]) -> Iterator[None]:
        """Have every pass stop before its layers, look its tokens up in the file, and put what it makes on the shelf."""
        layers, module = self._skeleton.layers, self._skeleton.module
        handles = []
        for number, layer in enumerate(layers):
            handles.append(layer.register_forward_pre_hook(partial(self._enter, sink, number), with_kwargs=True))
            handles.append(layer.register_forward_hook(partial(self._leave, sink, number)))
        within = {id(below) for layer in layers for below in layer.modules()}
        around = [each for each in module.modules() if within.isdisjoint(id(below) for below in each.modules())]
        handles += [each.register_forward_hook(self._put_away) for each in around]
        table = module.get_input_embeddings()
        handles.append(table.register_forward_pre_hook(self._look_up))
        shape, padding = table.weight, table.padding_idx
        table.padding_idx = None  # it counts in training alone, and the rows are others
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()
            table.weight, table.padding_idx = shape, padding

    def _enter(self, sink: Any, number: int, _layer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
        here = self._passes[getcurrent()]
        if number > 0:
            self._main.switch()
        here.at += 1
        if here.at != number:
            raise _OutOfOrderError
        here.shelved = {}
        args, kwargs = tree_map(partial(self._copied, here), (args, kwargs))
        if number == 0:
            sink(here.number, 0, args[0] if args else kwargs["hidden_states"])
        return args, kwargs

    def _copied(self, here: _Pass, value: Any) -> Any:
        """Return a tensor on the device; other values as they are."""
        if not isinstance(value, torch.Tensor) or value.device == self._device:
            return value
        there = value.to(self._device, non_blocking=True)
        here.shelved[there.data_ptr()] = value
        return there

    def _leave(self, sink: Any, number: int, _layer: Any, _args: Any, output: Any) -> Any:
        here = self._passes[getcurrent()]
        hidden = output if isinstance(output, torch.Tensor) else output[0]
        if number + 1 < len(self._skeleton.layers):
            sink(here.number, number + 1, hidden)
        kept = here.berth.keep("hidden", hidden)
        if isinstance(output, torch.Tensor):
            return kept
        return (kept, *(self._kept(here, place, each) for place, each in enumerate(output[1:])))

    def _kept(self, here: _Pass, place: int, value: Any) -> Any:
        """Put what a layer gives beside its hidden states on the shelf, unless it only handed on what it was given."""
        if not isinstance(value, torch.Tensor):
            return value
        return here.shelved.get(value.data_ptr()) if value.data_ptr() in here.shelved else here.berth.keep(place, value)

    def _put_away(self, module: Any, _args: Any, output: Any) -> Any:
        """Put what is made of a batch's tokens before the first layer on the shelf: the pass holds it to its end."""
        here = self._passes[getcurrent()]
        if here.at < 0 and isinstance(output, torch.Tensor) and output.dim() == 3:
            return here.berth.keep(id(module), output)
        return output

    def _look_up(self, table: Any, args: tuple[Any, ...]) -> tuple[Tensor, ...]:
        """Give the table of embeddings the rows that a batch needs, and the batch their places in them."""
        pieces, places = torch.unique(args[0], return_inverse=True)
        rows = self._skeleton.embeddings.mapped()[pieces].to(self._skeleton.dtype)
        table.weight = nn.Parameter(rows, requires_grad=False)
        return (places,)


class _OutOfOrderError(RuntimeError):
    """A model left out a layer or ran one twice."""
