"""Work on blocks of rows: each core takes blocks of its own, and a caller may stop between two of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch

from isogloss.backend.device_memory import in_halves

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

CPU_ROWS = 256
"""Rows of a block on the CPU: enough for a fast matrix product."""
CPU_BLOCK = 1 << 24
"""The most similarities in a block on the CPU: 64 MB in float32, of which each core has one in hand."""
CUDA_BLOCK = 1 << 26
"""A GPU wants few large steps instead: half a gigabyte in float64."""

ShouldStop = Callable[[], bool] | None
"""Asked often; once it says yes, `Stopped` is raised."""


class Stopped(Exception):  # noqa: N818 — not an error: the caller asked for it
    """Raised between two blocks when `should_stop` says so."""


def for_blocks(
    work: Callable[[slice], None],
    n: int,
    width: int,
    device: torch.device,
    should_stop: ShouldStop = None,
) -> None:
    """Do `work` for `n` rows of `width` similarities (which may be 0), some rows at a time.

    On the CPU each core takes blocks of its own (see `docs/definitions.md` under ABX): all cores in every operation took three
    to five times as long on a busy machine. So `work` must be safe in several threads at once, and blocks come in any order; it
    is done for halves of a block where memory is short, so it changes nothing before it has all that it needs.
    `should_stop` is asked in the caller's thread; `Stopped` is raised when it says yes.
    """
    cores = torch.get_num_threads() if device.type == "cpu" else 1
    most = CPU_BLOCK if device.type == "cpu" else CUDA_BLOCK
    rows = max(1, min(n, CPU_ROWS if device.type == "cpu" else n, most // max(width, 1)))
    with workers(device) as for_each:
        for top in range(0, n, rows * cores):
            if should_stop is not None and should_stop():
                raise Stopped
            tops = range(top, min(top + rows * cores, n), rows)
            for_each(lambda first: in_halves(work, range(first, min(first + rows, n))), tops)


@contextmanager
def workers(device: torch.device) -> Iterator[Callable[[Callable[[int], object], Iterable[int]], None]]:
    """A function that does some work for each of some numbers: on the CPU a thread a core, and each operation on one core."""
    cores = torch.get_num_threads()
    if device.type != "cpu" or cores == 1:
        yield lambda work, items: _drain(map(_without_gradients(work), items))
        return
    try:
        # PyTorch's number of threads belongs to the thread that sets it, and to threads that begin after that.
        with ThreadPoolExecutor(cores, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            yield lambda work, items: _drain(pool.map(_without_gradients(work), items))
    finally:
        torch.set_num_threads(cores)


def _without_gradients(work: Callable[[int], object]) -> Callable[[int], object]:
    """In every thread: the caller may be in inference mode, whose tensors may not be changed outside of it."""
    return torch.inference_mode()(work)


def _drain(results: Iterable[object]) -> None:
    deque(results, maxlen=0)
