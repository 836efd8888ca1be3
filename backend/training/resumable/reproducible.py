"""Equal seeds, equal results: what torch is told while a run trains."""

from __future__ import annotations

import logging
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import torch
from torch.utils import deterministic as settings_of_torch

from isogloss.backend.device_memory import is_short
from isogloss.backend.errors import ModelError
from isogloss.backend.models.device import choose_dtype

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from isogloss.backend.training.resumable.options import Precision

log = logging.getLogger("isogloss.worker")
T = TypeVar("T")
LACKING = re.compile(r"(\w+) does not have a deterministic implementation|not deterministic because it uses (CuBLAS)")
"""How torch says which operation it has no deterministic kernel for."""
_lacking: list[str] = []


@contextmanager
def reproducible(device: torch.device) -> Iterator[None]:
    """While it lasts, equal seeds give equal results on this device; the caller's random state is put back afterwards.

    A CPU does by itself. On a GPU torch is told to take deterministic kernels alone (`deterministically`).
    """
    _lacking.clear()
    on_gpu = device.type == "cuda"
    with torch.random.fork_rng(devices=[device] if on_gpu else []):
        if on_gpu:
            with deterministic_kernels():
                yield
        else:
            yield


@contextmanager
def deterministic_kernels() -> Iterator[None]:
    """While it lasts, an operation that torch has no deterministic kernel for raises `RuntimeError`.

    Not told to warn alone: flash and memory-efficient attention then keep their own backward, in which the order of sums
    is anyone's; told strictly, they take one whose order is fixed, and cuDNN's attention, which has none, is not taken.
    """
    before = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    memory: Any = settings_of_torch
    filling = memory.fill_uninitialized_memory
    torch.use_deterministic_algorithms(True)
    memory.fill_uninitialized_memory = False  # nothing here reads what it has not written
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before[0], warn_only=before[1])
        memory.fill_uninitialized_memory = filling


def deterministically(work: Callable[[], T]) -> T:
    """Return what `work` gives by deterministic kernels alone; where torch lacks one, it is done again with what there is.

    So is all that follows while `deterministic_kernels` lasts, and `what_varies` says why. `work` must be one that can be done
    twice, such as a step of training: what fails in it fails before the weights are changed.
    """
    try:
        return work()
    except RuntimeError as error:
        found = LACKING.search(str(error))
        strict = torch.are_deterministic_algorithms_enabled() and not torch.is_deterministic_algorithms_warn_only_enabled()
        if found is None or not strict:
            raise
        lacks = next(name for name in found.groups() if name)
    _lacking.append(lacks)
    log.warning("equal seeds may give results that differ in their last digits: torch has no deterministic %s here", lacks)
    torch.use_deterministic_algorithms(True, warn_only=True)
    return work()


def what_varies() -> str | None:
    """Say why the last training of this process may not come out alike again, by the same seed; None where it will."""
    return f"Not exactly repeatable: torch has no deterministic {_lacking[-1]} on this GPU." if _lacking else None


@contextmanager
def threads(wanted: int | None) -> Iterator[int]:
    """While it lasts torch computes on so many threads of the CPU; None for as many as before. Gives their number."""
    before = torch.get_num_threads()
    torch.set_num_threads(wanted or before)
    try:
        yield wanted or before
    finally:
        torch.set_num_threads(before)


@contextmanager
def fitting(what: str, device: torch.device, *, smaller: str = "a smaller model") -> Iterator[None]:
    """While it lasts, running out of memory is a `ModelError` that says what of `what` to change."""
    try:
        yield
    except Exception as error:
        if not is_short(error):
            raise
        raise ModelError(
            f"{what} does not fit into the memory of {device}. Choose smaller batches, {smaller} or another device."
        ) from error


def precision_on(device: torch.device, asked: Precision) -> torch.dtype:
    """Return what products are computed in on `device`."""
    match asked:
        case "auto":
            return choose_dtype(device)[0]
        case "float32":
            return torch.float32
        case "bfloat16":
            return torch.bfloat16


def seed_from(*keys: int, below: int = 2**31) -> int:
    """Return a seed for torch that is a function of `keys`: of a run's seed, what is drawn, and the step."""
    return int(np.random.default_rng(keys).integers(below))
