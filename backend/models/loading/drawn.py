"""A model with random weights, drawn as its architecture begins a training."""

from __future__ import annotations

import copy
from typing import Any

import torch
from transformers import AutoModel


def drawn(config: Any, seed: int, dtype: torch.dtype) -> Any:
    """Return a model of this configuration of `transformers` on the CPU, the same for the same seed on every machine.

    Weights are drawn in float32, whatever `dtype` they are then in; those of a quantised model are not quantised. The random
    state of the process stays as it is.
    """
    own = copy.deepcopy(config)
    if hasattr(own, "quantization_config"):
        del own.quantization_config
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = AutoModel.from_config(own, dtype=torch.float32, trust_remote_code=False)  # type: ignore[no-untyped-call]
    return model.to(dtype)
