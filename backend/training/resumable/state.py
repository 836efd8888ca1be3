"""The state of a run between two steps: one safetensors file, so that neither a kill nor a stranger's file does harm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from isogloss.backend.files import publish

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MOMENTS = ("step", "exp_avg", "exp_avg_sq")
"""What AdamW keeps of each parameter."""


def adamw(
    parameters: Iterable[torch.nn.Parameter] | Iterable[dict[str, Any]],
    *,
    learning_rate: float,
    weight_decay: float,
    device: torch.device,
) -> torch.optim.AdamW:
    """AdamW that has seen nothing, in one kernel where `device` has it; `parameters` may be groups, each with its decay."""
    fused = device.type in ("cpu", "cuda") or None
    return torch.optim.AdamW(parameters, lr=learning_rate, weight_decay=weight_decay, fused=fused)


def save_state(path: Path, model: torch.nn.Module, optimizer: torch.optim.AdamW, *, step: int, run: str) -> None:
    """Write weights, AdamW's moments and `step`, whole or not at all.

    No generator's state is needed: the randomness of a step is a function of the seed and the step. `run` is the digest of
    options and corpus, so that the state of another run is never taken up. Raises `StoreError` where it cannot be written.
    """
    tensors = {}
    for name, parameter in model.named_parameters():
        tensors[f"weights/{name}"] = parameter.detach()
        for moment, value in optimizer.state[parameter].items():
            tensors[f"{moment}/{name}"] = value
    content = save({key: value.contiguous().cpu() for key, value in tensors.items()}, {"step": str(step), "run": run})
    with publish(path) as temporary:
        temporary.write_bytes(content)


def load_state(path: Path, model: torch.nn.Module, optimizer: torch.optim.AdamW, *, run: str) -> int:
    """Put a saved state into `model` and `optimizer` and return its step; 0, and nothing changed, where there is none.

    A damaged file is set aside as `<name>.damaged`; the run then starts over and reaches the same result.
    """
    if not path.exists():
        return 0
    try:
        with safe_open(path, framework="pt") as file:
            provenance = file.metadata() or {}
            saved = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118 - safe_open is no mapping
        if provenance.get("run") != run:
            return 0
        parameters = dict(model.named_parameters())
        weights = {name: saved[f"weights/{name}"] for name in parameters}
        moments = {
            name: {moment: saved[f"{moment}/{name}"] for moment in MOMENTS if f"{moment}/{name}" in saved} for name in weights
        }
    except (SafetensorError, KeyError):
        path.replace(path.with_name(path.name + ".damaged"))
        return 0
    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(weights[name])
    # The optimiser counts its weights group by group, which need not be the model's order.
    places = {
        id(each): place for place, each in enumerate(each for group in optimizer.param_groups for each in group["params"])
    }
    state = optimizer.state_dict()
    state["state"] = {places[id(each)]: moments[name] for name, each in parameters.items() if moments[name]}
    optimizer.load_state_dict(state)
    return int(provenance["step"])
