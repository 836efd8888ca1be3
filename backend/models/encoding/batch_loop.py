"""Batches through a device: halved where memory is short, and read back while the next one computes."""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import torch

from isogloss.backend.device_memory import pinned, remember_batch, unless_short
from isogloss.backend.errors import IsoglossError, ModelError
from isogloss.backend.models.encoding.batches import split, tokens_with_padding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from torch import Tensor

Batch = TypeVar("Batch")
"""Whatever one batch gives: nothing here looks into it."""


class StoppedError(IsoglossError):
    """The work was asked to stop before it was done."""


def halving(
    run: Callable[[list[int]], Batch],
    queue: list[list[int]],
    lengths: Sequence[int],
    shown: str,
    should_stop: Callable[[], bool] | None,
) -> Iterator[Batch]:
    """Run every group of rows; one that does not fit in memory is halved, and so is whatever is left of its size."""
    work = deque(queue)
    while work:
        if should_stop is not None and should_stop():
            raise StoppedError("Stopped before every sentence was embedded. Start it again to go on.")
        rows = work.popleft()
        fits, batch = unless_short(partial(run, rows))
        if fits:
            yield batch
            continue
        if len(rows) == 1:
            raise ModelError(
                f"One sentence of {lengths[rows[0]]} tokens does not fit in memory beside {shown}. "
                "Free the device, shorten the sentence or choose a smaller model."
            )
        limit = tokens_with_padding(rows, lengths) // 2
        remember_batch(limit)
        work = deque(part for group in (rows, *work) for part in split(group, lengths, limit))


def one_behind(results: Iterator[Batch], device: torch.device) -> Iterator[Batch]:
    """On a GPU, hand out each batch while the next one computes: its copy to the host is awaited, not the device."""
    if device.type != "cuda":
        yield from results
        return
    waiting: tuple[Any, Batch] | None = None
    for batch in results:
        event = torch.cuda.Event()  # type: ignore[no-untyped-call]
        event.record(torch.cuda.current_stream(device))
        if waiting is not None:
            waiting[0].synchronize()
            yield waiting[1]
        waiting = event, batch
    if waiting is not None:
        waiting[0].synchronize()
        yield waiting[1]


def to_host(values: Tensor) -> Tensor:
    """Copy `values` from a GPU into pinned host memory without waiting for it; on the CPU return them as they are."""
    if values.device.type != "cuda":
        return values
    return pinned(values.shape, values.dtype).copy_(values, non_blocking=True)


def to_device(values: Tensor, device: torch.device) -> Tensor:
    """Copy `values` of the host to a GPU without waiting for it; on the CPU return them as they are."""
    if device.type != "cuda":
        return values.to(device)
    return pinned(values.shape, values.dtype).copy_(values).to(device, non_blocking=True)
