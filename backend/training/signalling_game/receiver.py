"""The receivers: read a message, then find the object or name its values (EGG's RNN receivers with a GRU)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.nn import functional

if TYPE_CHECKING:
    from torch import Tensor

    from isogloss.backend.training.signalling_game.options import GameOptions


class Reader(nn.Module):
    """The receiver's state after each step of a message."""

    def __init__(self, options: GameOptions) -> None:
        super().__init__()
        self.embed = nn.Linear(options.vocabulary, options.embedding)
        self.cells = nn.GRU(options.embedding, options.receiver_size, batch_first=True)

    def forward(self, message: Tensor) -> Tensor:
        """States `[batch, steps, hidden]` for a message `[batch, steps, symbols]`."""
        states: Tensor = self.cells(self.embed(message))[0]
        return states


class Discriminator(nn.Module):
    """Picks the candidate whose picture, a linear layer and tanh, has the largest product with what was read."""

    def __init__(self, options: GameOptions) -> None:
        super().__init__()
        self.read = Reader(options)
        self.see = nn.Linear(options.attributes * options.values, options.receiver_size)

    def forward(self, message: Tensor, candidates: Tensor) -> Tensor:
        """Logits `[batch, steps, candidates]` for one-hot `candidates` `[batch, candidates, attributes · values]`."""
        pictures = torch.tanh(self.see(candidates))
        return torch.einsum("bsh,bch->bsc", self.read(message), pictures)

    def losses(self, logits: Tensor, targets: Tensor) -> Tensor:
        """Cross-entropy in nats `[batch, steps]` for the places of the sender's objects among the candidates `[batch]`."""
        every_step = targets[:, None].expand(logits.shape[:2])
        return functional.cross_entropy(logits.movedim(-1, 1), every_step, reduction="none")


class Reconstructor(nn.Module):
    """Names the value of every attribute by a linear layer."""

    def __init__(self, options: GameOptions) -> None:
        super().__init__()
        self.attributes, self.values = options.attributes, options.values
        self.read = Reader(options)
        self.name = nn.Linear(options.receiver_size, options.attributes * options.values)

    def forward(self, message: Tensor) -> Tensor:
        """Logits `[batch, steps, attributes, values]`."""
        logits: Tensor = self.name(self.read(message))
        return logits.view(*logits.shape[:2], self.attributes, self.values)

    def losses(self, logits: Tensor, targets: Tensor) -> Tensor:
        """Cross-entropy in nats `[batch, steps]`, the mean over attributes, for the objects' values `[batch, attributes]`."""
        every_step = targets[:, None].expand(logits.shape[:3])
        return functional.cross_entropy(logits.movedim(-1, 1), every_step, reduction="none").mean(-1)
