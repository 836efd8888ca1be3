"""When what happens in pre-training: the learning rate, the losses of a step, and the randomness of a step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from isogloss.backend.training.encoder.options import Objective

Task = Literal["mlm", "contrast"]


def learning_rate_factor(step: int, steps: int, warmup: int) -> float:
    """Return the share of the highest learning rate at `step` (1 is the first): linear up to `warmup`, then linear to zero.

    The last step still learns: zero would be reached at `steps + 1`.
    """
    if step < warmup:
        return step / warmup
    return (steps + 1 - step) / max(1, steps + 1 - warmup)


def tasks_of(objective: Objective) -> tuple[Task, ...]:
    """Return the losses minimised in one step, an update of the weights for each, in this order."""
    match objective:
        case "mlm":
            return ("mlm",)
        case "mlm+contrast":
            return ("mlm", "contrast")


def randomness(seed: int, step: int) -> np.random.Generator:
    """Return the generator of one step's draws.

    It depends on `seed` and `step` alone, so a run that is stopped and goes on draws what an unbroken one would have drawn,
    and no generator's state has to be kept.
    """
    return np.random.default_rng([seed, step])
