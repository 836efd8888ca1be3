"""Say what this worker computes on: the pages show it, and prices rest on what such a machine computed before."""

from __future__ import annotations

import time
from functools import lru_cache

from isogloss.backend.experiments.machine import Machine, processor


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
