"""The sender: sees an object, says symbols one after the other (EGG's RNN sender with a GRU cell)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn

from isogloss.backend.training.signalling_game.gumbel import gumbel_softmax, one_hot
from isogloss.backend.training.signalling_game.options import END

if TYPE_CHECKING:
    from torch import Tensor

    from isogloss.backend.training.signalling_game.options import GameOptions


class Sender(nn.Module):
    """A linear layer makes the GRU's first state of the object; each symbol said is its next input."""

    def __init__(self, options: GameOptions) -> None:
        super().__init__()
        self.length, self.ends = options.length, options.end_of_sequence
        self.straight_through = options.straight_through
        self.see = nn.Linear(options.attributes * options.values, options.hidden)
        self.begin = nn.Parameter(torch.randn(options.embedding) * 0.01)
        self.embed = nn.Linear(options.vocabulary, options.embedding)
        self.cell = nn.GRUCell(options.embedding, options.hidden)
        self.say = nn.Linear(options.hidden, options.vocabulary)

    def forward(self, objects: Tensor, noise: Tensor | None = None, temperature: float = 1.0) -> Tensor:
        """Messages `[batch, steps, symbols]` about one-hot objects `[batch, attributes · values]`.

        With Gumbel `noise` `[length, batch, symbols]` they are sampled, in training; without, each symbol is the likeliest,
        one-hot. Where messages can end, there is one step more, the end of sequence for those that have not ended.
        """
        state = self.see(objects)
        embedded = self.begin.expand(len(objects), -1)
        symbols = []
        for step in range(self.length):
            state = self.cell(embedded, state)
            logits = self.say(state)
            symbol = (
                one_hot(logits)
                if noise is None
                else gumbel_softmax(logits, noise[step], temperature, straight_through=self.straight_through)
            )
            symbols.append(symbol)
            embedded = self.embed(symbol)
        if self.ends:
            end = torch.zeros_like(symbols[0])
            end[:, END] = 1.0
            symbols.append(end)
        return torch.stack(symbols, 1)


def end_weights(message: Tensor, ends: bool) -> Tensor:
    """Return how much each step is a message's last: `[batch, steps]`, each row adds up to 1.

    A mixture of symbols ends at a step as far as it is the end of sequence there and has not ended before. Where messages
    cannot end (`ends` false), the last step counts alone.
    """
    if not ends:
        weights = torch.zeros_like(message[:, :, 0])
        weights[:, -1] = 1.0
        return weights
    going = torch.cumprod(1 - message[:, :-1, END], 1)
    before = torch.cat([torch.ones_like(going[:, :1]), going], 1)
    return before * message[:, :, END]
