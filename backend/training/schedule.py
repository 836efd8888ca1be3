"""When what happens in pre-training: the learning rate, the objective of a step, and the randomness of a step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from backend.training.options import Objective

Task = Literal["mlm", "contrast"]


def learning_rate_factor(step: int, steps: int, warmup: int) -> float:
    """The share of the highest learning rate at `step` (1 is the first): linear up to `warmup`, then linear to zero.

    The last step still learns: zero would be reached at `steps + 1`.
    """
    if step < warmup:
        return step / warmup
    return (steps + 1 - step) / max(1, steps + 1 - warmup)


def task_of(objective: Objective, step: int) -> Task:
    """Which loss is minimised at `step` (1 is the first)."""
    return "contrast" if objective == "mlm+contrast" and step % 2 == 0 else "mlm"


def randomness(seed: int, step: int) -> np.random.Generator:
    """The generator of one step's draws.

    It depends on `seed` and `step` alone, so a run that is stopped and goes on draws what an unbroken one would have drawn,
    and no generator's state has to be kept.
    """
    return np.random.default_rng([seed, step])
