"""Equal seeds, equal results: what torch is told while a run trains."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import torch

from backend.errors import ModelError
from backend.models.device import choose_dtype

if TYPE_CHECKING:
    from collections.abc import Iterator

    from backend.training.resumable.options import Precision


@contextmanager
def reproducible(device: torch.device) -> Iterator[None]:
    """While it lasts, equal seeds give equal results on this device; the caller's random state is put back afterwards.

    On a GPU torch is told to take its deterministic kernels, and warns where an operation has none.
    """
    on_gpu = device.type == "cuda"
    before = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    if on_gpu:
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # read when cuBLAS is first used
        torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        with torch.random.fork_rng(devices=[device] if on_gpu else []):
            yield
    finally:
        if on_gpu:
            torch.use_deterministic_algorithms(before[0], warn_only=before[1])


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
    except torch.OutOfMemoryError as error:
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
