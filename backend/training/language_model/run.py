"""One training in memory: a model, its windows and its optimiser, and one step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from isogloss.backend.models.encoding.batch_loop import to_device
from isogloss.backend.training.language_model.loss import loss_and_gradients
from isogloss.backend.training.language_model.model import INITIAL_DEVIATION, LanguageModel
from isogloss.backend.training.language_model.options import is_released
from isogloss.backend.training.language_model.tied import TiedRun, rows_of
from isogloss.backend.training.resumable.reproducible import precision_on, seed_from
from isogloss.backend.training.resumable.state import adamw

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

    from isogloss.backend.training.language_model.options import Architecture, LanguageModelOptions, Protocol
    from isogloss.backend.training.resumable.options import Training

STREAMS: dict[Training, int] = {"pre-training": 2, "tuning": 3}
"""Random numbers of the two never meet. 0 makes fresh weights, 1 orders utterances, 4 makes fresh embeddings."""


@dataclass(frozen=True, eq=False)
class Run(TiedRun):
    """All that training takes."""

    options: LanguageModelOptions
    model: LanguageModel
    windows: Tensor
    """`[windows, context]`, int32, on the device."""

    @property
    def tokens(self) -> int:
        """Of an update."""
        return self.stage.batch * self.windows.shape[1]

    def take(self, step: int) -> Tensor:
        """Update the weights once, as `train_step`."""
        return train_step(self, step)


def fresh_model(shape: Architecture, seed: int) -> LanguageModel:
    """Return a model that has learnt nothing: what pre-training starts from, and the source "no pre-training"."""
    torch.manual_seed(seed_from(seed, 0))
    return LanguageModel(shape)


def forget_embeddings(model: LanguageModel, protocol: Protocol, seed: int, deviation: float = INITIAL_DEVIATION) -> None:
    """Give every token fresh numbers: those of a source's symbols mean nothing in a target language.

    Input and output embedding are one table, in the paper's model as in ours, so this re-initialises both. Embeddings of
    positions stay. They are drawn as GPT-2 does, with this standard `deviation`; in the published code's protocols as torch's
    linear layers do, for that code re-initialises the output layer and leaves the rest to the tie.
    """
    torch.manual_seed(seed_from(seed, 4))
    table = model.wte.weight
    if is_released(protocol):
        reach = table.shape[1] ** -0.5
        torch.nn.init.uniform_(table, -reach, reach)
    else:
        torch.nn.init.normal_(table, std=deviation)


def begin(
    training: Training, model: LanguageModel, windows: NDArray[np.int32], options: LanguageModelOptions, device: torch.device
) -> Run:
    """Put model and windows on `device`, with an optimiser that has seen nothing."""
    stage = options.pretraining if training == "pre-training" else options.tuning
    model.to(device).train()
    loss = loss_and_gradients
    if options.compile:
        model.compile(dynamic=False)
        loss = torch.compile(loss_and_gradients, dynamic=False)
    optimizer = adamw(model.parameters(), learning_rate=stage.learning_rate, weight_decay=stage.weight_decay, device=device)
    precision, there = precision_on(device, options.precision), torch.from_numpy(windows).to(device)
    return Run(training, options, model, optimizer, device, precision, loss, len(windows), there)


def train_step(run: Run, step: int) -> Tensor:
    """Take one update of the weights; the first step is 1. The loss before it, in nats, still on the device.

    Its windows and its randomness depend on the seed and the step alone.
    """
    ids = run.windows[to_device(batch_rows(run, step), run.device)].long()  # [batch, context]
    return run.update(
        step,
        STREAMS[run.training],
        lambda: run.model(ids[:, :-1]).flatten(0, 1),  # each predicts the token after it
        run.model.wte.weight,
        ids[:, 1:].flatten(),
    )


def batch_rows(run: Run, step: int) -> Tensor:
    """Return the windows of a step: each epoch goes through all of them in an order of its own."""
    return torch.from_numpy(rows_of(step, run.examples, run.stage, run.options.seed, STREAMS[run.training]))
