"""Equal seeds, equal results: what torch is told while a run trains."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Iterator


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
