"""Cross-entropy over a large vocabulary, a few tokens at a time: the table of all scores never exists as a whole."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

ROWS = {"cpu": 256}
"""Tokens whose scores are held together, by type of device; elsewhere as many as fit `HELD`."""

HELD = 2**28
"""How many scores are held together at most."""


def rows_at_a_time(device: torch.device, vocabulary: int) -> int:
    """Tokens whose scores are held together."""
    return max(1, min(ROWS.get(device.type, HELD), HELD // vocabulary))


def loss_and_gradients(states: Tensor, table: Tensor, targets: Tensor, precision: torch.dtype) -> tuple[Tensor, Tensor, Tensor]:
    """Return the mean cross-entropy of `targets`, and its gradients with regard to `states` and `table`.

    The table of all scores is never made. How: `docs/definitions.md`, "XferBench".

    Args:
        states: `[tokens, dims]`, float32 or `precision`.
        table: `[vocabulary, dims]`, float32. The scores are `states @ table.T`.
        targets: `[tokens]`, int64.
        precision: What products are computed in; sums are float32.

    Returns:
        The loss in nats, and gradients of the shapes and types of `states` and `table`. No target counts more than 87.
    """
    total = states.new_zeros((), dtype=torch.float32)
    to_states, to_table = torch.empty_like(states), torch.zeros_like(table)
    narrow = table.to(precision)
    rows, share = rows_at_a_time(states.device, len(table)), 1 / len(states)
    for first in range(0, len(states), rows):
        part, target = states[first : first + rows].to(precision), targets[first : first + rows, None]
        slope = (part @ narrow.T).softmax(dim=1, dtype=torch.float32)  # [rows, vocabulary]
        likelihood = slope.gather(1, target)
        total -= likelihood.clamp_min(torch.finfo(torch.float32).tiny).log().sum()
        slope.scatter_(1, target, likelihood - 1)
        slope = slope.to(precision)
        to_states[first : first + rows] = slope @ narrow
        if precision == table.dtype:
            to_table.addmm_(slope.T, part)
        else:
            to_table += slope.T @ part
    return total * share, to_states.mul_(share), to_table.mul_(share)


def token_losses(states: Tensor, table: Tensor, targets: Tensor, precision: torch.dtype) -> Tensor:
    """Return the cross-entropy of each of `targets` in nats: `[tokens]`, float32. Arguments as for `loss_and_gradients`."""
    narrow = table.to(precision)
    losses = torch.empty(len(states), dtype=torch.float32, device=states.device)
    rows = rows_at_a_time(states.device, len(table))
    for first in range(0, len(states), rows):
        scores = (states[first : first + rows].to(precision) @ narrow.T).float()
        losses[first : first + rows] = functional.cross_entropy(scores, targets[first : first + rows], reduction="none")
    return losses
