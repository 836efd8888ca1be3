"""Say what this worker computes on: the pages show it, and prices rest on what such a machine computed before."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from isogloss.backend.experiments.pricing.machine import Machine, processor

if TYPE_CHECKING:
    from isogloss.backend.settings import Settings


def of_worker(settings: Settings) -> Machine:
    """Return what a worker computes on, and the memory that it has for a model before its first job. Raises as `describe`."""
    from isogloss.backend.models import memory
    from isogloss.backend.models.device import choose_device

    free = memory.free(choose_device(settings.device))
    return replace(describe(settings.device), memory=memory.allowed(free, settings.memory_gib))


@lru_cache(maxsize=1)
def describe(setting: str) -> Machine:
    """Return the device that `setting` means here, and the precision of encoding. Raises what `choose_device` does."""
    import torch

    from isogloss.backend.models.device import choose_device, choose_dtype

    place = choose_device(setting)
    dtype, why = choose_dtype(place)
    on_gpu = place.type == "cuda"
    return Machine(
        kind="cuda" if on_gpu else "cpu",
        name=torch.cuda.get_device_name(place) if on_gpu else "CPU",
        threads=torch.get_num_threads(),
        processor=processor(),
        precision=str(dtype).removeprefix("torch."),
        why_precision=why,
        measured_at=time.time(),
    )
