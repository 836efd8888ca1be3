"""Sender and receiver together: what they are asked in a batch, and how the receiver answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from isogloss.backend.training.signalling_game.objects import distractors, values_of
from isogloss.backend.training.signalling_game.receiver import Discriminator, Reconstructor
from isogloss.backend.training.signalling_game.sender import Sender, end_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

    from isogloss.backend.training.signalling_game.options import GameOptions


@dataclass(frozen=True, eq=False)
class Round:
    """A batch of rounds of the game, on a device."""

    values: Tensor
    """The sender's objects, int64 `[batch, attributes]`."""
    candidates: Tensor | None
    """What a discriminator chooses among, int64 `[batch, candidates, attributes]`; None in reconstruction."""
    targets: Tensor
    """What the receiver should answer, int64: the place of the object among them `[batch]`, or `values`."""


@dataclass(frozen=True, eq=False)
class Answer:
    """What came of a batch."""

    message: Tensor
    """`[batch, steps, symbols]`"""
    losses: Tensor
    """Cross-entropy in nats `[batch]`, weighted over the steps by how much each is the message's last."""
    right: Tensor
    """Whether the receiver, at the message's end, was right: bool, `[batch]`, or a column for each attribute."""


def rounds(
    places: NDArray[np.int64], among: NDArray[np.int64], options: GameOptions, random: np.random.Generator, device: torch.device
) -> Round:
    """Make rounds about the objects at `places` of `among`; in discrimination the others are drawn from `among` too.

    The sender's object stands at any place among the candidates with equal probability.
    """
    values = torch.from_numpy(values_of(among[places], options)).to(device)
    if options.game == "reconstruction":
        return Round(values, None, values)
    others = distractors(random, places, len(among), options.distractors)
    targets = random.integers(0, options.distractors + 1, len(places))
    candidates = np.concatenate([others, others[:, :1]], axis=1)
    rows = np.arange(len(places))
    candidates[:, -1] = candidates[rows, targets]
    candidates[rows, targets] = places
    seen = values_of(among[candidates.reshape(-1)], options).reshape(*candidates.shape, options.attributes)
    return Round(values, torch.from_numpy(seen).to(device), torch.from_numpy(targets).to(device))


class Agents(nn.Module):
    """A sender and the receiver of its game."""

    def __init__(self, options: GameOptions) -> None:
        super().__init__()
        self.values, self.ends = options.values, options.end_of_sequence
        self.sender = Sender(options)
        self.receiver = Discriminator(options) if options.game == "discrimination" else Reconstructor(options)

    def forward(self, batch: Round, noise: Tensor | None = None, temperature: float = 1.0) -> Answer:
        """Play a batch: with noise as in training (see `Sender.forward`), without as it will be spoken."""
        message = self.sender(self.pictures(batch.values), noise, temperature)
        match self.receiver:
            case Discriminator() as receiver:
                assert batch.candidates is not None
                logits = receiver(message, self.pictures(batch.candidates))
                losses = receiver.losses(logits, batch.targets)
            case Reconstructor() as receiver:
                logits = receiver(message)
                losses = receiver.losses(logits, batch.targets)
        weights = end_weights(message, self.ends)
        last = logits[torch.arange(len(logits), device=logits.device), weights.argmax(1)]
        return Answer(message, (losses * weights).sum(1), last.argmax(-1) == batch.targets)

    def pictures(self, values: Tensor) -> Tensor:
        """Objects as the agents see them: a one-hot vector for each attribute, in a row: `[…, attributes · values]`."""
        return functional.one_hot(values, self.values).flatten(-2).float()
