"""What trainings of models have in common whose input and output embeddings are one table: what they hold, and an update."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import torch

from isogloss.backend.training.resumable.reproducible import seed_from

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from torch import Tensor

    from isogloss.backend.training.language_model.options import LanguageModelOptions
    from isogloss.backend.training.resumable.options import Stage, Training
    from isogloss.backend.training.translation.options import TranslationOptions


@dataclass(frozen=True, eq=False)
class TiedRun:
    """All that training takes but the examples."""

    training: Training
    options: LanguageModelOptions | TranslationOptions
    model: torch.nn.Module
    optimizer: torch.optim.AdamW
    device: torch.device
    precision: torch.dtype
    loss: Callable[[Tensor, Tensor, Tensor, torch.dtype], tuple[Tensor, Tensor, Tensor]]
    """`loss_and_gradients`, compiled or not."""
    examples: int
    """Windows or pairs of an epoch."""

    @property
    def stage(self) -> Stage:
        """Batch, epochs and learning rate."""
        return self.options.pretraining if self.training == "pre-training" else self.options.tuning

    @property
    def steps(self) -> int:
        """Count the updates of all epochs."""
        return self.stage.steps(self.examples)

    def update(self, step: int, stream: int, states_of: Callable[[], Tensor], table: Tensor, targets: Tensor) -> Tensor:
        """Return one update of the weights that are not frozen. The loss before it, in nats a target, still on the device.

        Its randomness, that of `stream`, depends on the seed and the step alone. `states_of` runs the model up to its output
        layer, `table` `[vocabulary, dims]`: `[tokens, dims]`, one for each of `targets`.
        """
        torch.manual_seed(seed_from(self.options.seed, stream, 0, step))  # dropout
        for group in self.optimizer.param_groups:
            group["lr"] = self.stage.learning_rate_at(step, self.steps)
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.precision == torch.bfloat16):
            states = states_of()
        loss, to_states, table.grad = self.loss(states.detach(), table.detach(), targets, self.precision)
        torch.autograd.backward(states, to_states)  # adds what reaches the embeddings as input to what they got as output
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.stage.largest_gradient)
        self.optimizer.step()
        return loss


def rows_of(step: int, examples: int, stage: Stage, seed: int, stream: int) -> NDArray[np.int64]:
    """Return the examples of a step: each epoch goes through all of them in an order of its own."""
    epoch, place = divmod(step - 1, stage.steps(examples) // stage.epochs)
    return _order(examples, seed, stream, epoch)[place * stage.batch : (place + 1) * stage.batch]


@lru_cache(maxsize=2)
def _order(examples: int, seed: int, stream: int, epoch: int) -> NDArray[np.int64]:
    return np.random.default_rng([seed, stream, 1, epoch]).permutation(examples)
