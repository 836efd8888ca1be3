"""Measure the machine's speed, in about a second when a worker starts; the pages estimate prices from it."""

from __future__ import annotations

import time
from typing import Any

from backend.experiments.speed import Speed

SLICES, SLICE_SECONDS = 6, 0.05


def probe(setting: str) -> Speed:
    """Return the device and its measured speed: matrix products in the encoding precision and in those of scoring."""
    import torch

    from backend.models.device import choose_device, choose_dtype

    place = choose_device(setting)
    dtype, why = choose_dtype(place)
    on_gpu = place.type == "cuda"
    return Speed(
        kind="cuda" if on_gpu else "cpu",
        name=torch.cuda.get_device_name(place) if on_gpu else "CPU",
        threads=torch.get_num_threads(),
        encoding_flops=_measure(torch.empty(0, device=place, dtype=dtype), 512),
        scoring_flops=_measure(torch.empty(0, device=place, dtype=torch.float32), 1024),
        exact_flops=_measure(torch.empty(0, device=place, dtype=torch.float64), 1024) if on_gpu else 0.0,
        precision=str(dtype).removeprefix("torch."),
        why_precision=why,
        measured_at=time.time(),
    )


def _measure(like: Any, size: int) -> float:
    """Floating-point operations a second of `[size, 768] × [768, 3072]` products, the shape a transformer's layers have.

    The best of a few slices: a mean would measure how busy the machine was, or its warming up.
    """
    import torch

    # Numbers of its own: a training that this worker takes up meanwhile draws from torch's, and would draw others.
    generator = torch.Generator(like.device)
    a, b = (like.new_empty(shape).normal_(generator=generator) for shape in ((size, 768), (768, 3072)))
    a @ b
    best = 0.0
    for _ in range(SLICES):
        done, started = 0, time.perf_counter()
        while time.perf_counter() - started < SLICE_SECONDS:
            a @ b
            done += 1
        if like.is_cuda:
            torch.cuda.synchronize(like.device)  # which need not be the current one
        best = max(best, done * 2.0 * size * 768 * 3072 / (time.perf_counter() - started))
    return best
