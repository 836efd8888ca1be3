"""Probes that are trained side by side: one product for all of them, one update of Adam."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch
from torch.nn.functional import log_softmax, one_hot

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from isogloss.backend.training.probe.options import ProbeOptions
    from isogloss.backend.training.probe.reading import Scaling

BETAS = 0.9, 0.999
EPSILON = 1e-8
MOMENTUM = 0.9
MEAN = -1
"""Stands for the mean of all layers where a layer's number stands otherwise."""


@dataclass(eq=False)
class Weights:
    """Some parameters, and what their optimiser remembers of them."""

    values: Tensor
    first: Tensor
    """Adam's running mean of gradients, or the momentum."""
    second: Tensor
    """Adam's running mean of their squares."""
    step: Tensor
    """Updates so far, which Adam's kernel counts where the weights are."""
    updates: int = 0
    """The same, where nobody waits for a device."""

    @classmethod
    def of(cls, values: Tensor) -> Weights:
        """Parameters that nothing is remembered of yet."""
        return cls(values, torch.zeros_like(values), torch.zeros_like(values), torch.zeros((), device=values.device))

    def update(self, gradient: Tensor, options: ProbeOptions, decayed: Tensor | None = None) -> None:
        """One step of the optimiser; `decayed` are the parameters that weight decay shrinks."""
        self.updates += 1
        if decayed is not None and options.weight_decay:
            decayed.mul_(1 - options.learning_rate * options.weight_decay)
        if options.optimiser == "sgd":
            self.first.mul_(MOMENTUM).add_(gradient)
            self.values.add_(self.first, alpha=-options.learning_rate)
            return
        self.step += 1
        # The kernel of torch.optim's fused Adam: what is around it there takes half as long again.
        torch._fused_adam_(
            *([self.values], [gradient], [self.first], [self.second], [], [self.step]),
            amsgrad=False,
            beta1=BETAS[0],
            beta2=BETAS[1],
            lr=options.learning_rate,
            weight_decay=0.0,
            eps=EPSILON,
            maximize=False,
        )

    def select(self, choose: Callable[[Tensor], Tensor]) -> None:
        """Keep only what `choose` takes of each."""
        self.values, self.first, self.second = (choose(each).contiguous() for each in (self.values, self.first, self.second))


class LayerBank:
    """Probes of some layers (or of their mean), all seeds and heads: `[layers · seeds, heads · tags, dims + 1]`.

    The last column of the weights is the bias: features carry a 1 at their end. Tags come before dimensions because a product
    with so few columns as there are tags takes a third longer.
    """

    def __init__(self, layers: list[int], seeds: list[int], start: Tensor, scaling: Scaling, options: ProbeOptions) -> None:
        """`start` are initial weights `[heads, layers, seeds, dims + 1, tags]`; layers and seeds are numbers of `start`'s."""
        self.layers, self.seeds, self.heads = layers, seeds, list(range(len(start)))
        self.dims, self.tags = start.shape[-2:]
        self.scaling, self.options = scaling, options
        self.weights = Weights.of(start.permute(1, 2, 0, 4, 3).reshape(-1, len(start) * self.tags, self.dims).contiguous())

    def parameters(self) -> Tensor:
        """Return the weights as they are, `[heads, layers, seeds, dims + 1, tags]`."""
        return self._apart(self.weights.values).permute(2, 0, 1, 4, 3)

    def _apart(self, values: Tensor) -> Tensor:
        return values.view(len(self.layers), len(self.seeds), len(self.heads), self.tags, self.dims)

    def select(self, heads: list[int], layers: list[int], seeds: list[int]) -> None:
        """Go on with some of the heads, layers and seeds, by their places among those that are left."""

        def choose(values: Tensor) -> Tensor:
            return self._apart(values)[layers][:, seeds][:, :, heads].reshape(-1, len(heads) * self.tags, self.dims)

        self.weights.select(choose)
        self.heads = [self.heads[each] for each in heads]
        self.layers = [self.layers[each] for each in layers]
        self.seeds = [self.seeds[each] for each in seeds]

    def part(self, layers: slice) -> LayerBank:
        """Return a bank of some of the layers, by their places: they go on as they would have here."""
        found = copy(self)
        found.weights = replace(self.weights, step=self.weights.step.clone())
        places = list(range(len(self.layers)))[layers]
        found.select(list(range(len(self.heads))), places, list(range(len(self.seeds))))
        return found

    def features(self, window: Tensor) -> Tensor:
        """Return the standardised layers of a window, with a 1 at the end of each row: `[layers, rows, dims + 1]`."""
        made = torch.empty(len(self.layers), len(window), self.dims, device=window.device)
        for place, layer in enumerate(self.layers):
            made[place, :, :-1] = self.scaling.mean(window) if layer == MEAN else self.scaling.layer(window, layer)
        made[:, :, -1] = 1
        return made

    def train(self, window: Tensor, labels: Tensor, orders: Tensor) -> None:
        """One pass over a window: `labels` are `[all heads, all seeds, rows]`, `orders` `[all seeds, rows]`.

        Each batch has its gradient by hand: of the mean cross-entropy it is (softmax(scores) - one-hot) · features / rows. What
        memory it needs it has before the first update.
        """
        x, orders = self.features(window), orders[self.seeds]
        of_seeds = labels[self.heads][:, self.seeds]
        right = of_seeds.gather(-1, orders.expand(of_seeds.shape)).transpose(0, 1).unsqueeze(2)  # [seeds, heads, 1, rows]
        right = right.expand(len(self.layers), *right.shape).flatten(0, 1)
        gradient, one = torch.empty_like(self.weights.values), torch.ones((), device=x.device)
        for at in range(0, len(window), self.options.batch):
            rows = orders[:, at : at + self.options.batch]
            size = rows.shape[1]
            batch = x.index_select(1, rows.reshape(-1)).view(-1, size, self.dims)
            scores = torch.bmm(self.weights.values, batch.transpose(1, 2))
            off = torch.softmax(scores.view(len(scores), -1, self.tags, size), 2)
            here = right[..., at : at + size]
            off.scatter_add_(2, here, -one.expand(here.shape)).mul_(1 / size)
            torch.bmm(off.view(scores.shape), batch, out=gradient)
            self.weights.update(gradient, self.options, self.weights.values[..., :-1])

    def losses(self, window: Tensor, labels: Tensor) -> Tensor:
        """The summed loss of each probe on a window, in nats: float64 `[heads, layers, seeds]`; `labels` as `train`'s."""
        x = self.features(window)
        weights = self.weights.values.view(len(self.layers), -1, self.dims)
        scores = torch.bmm(x, weights.transpose(1, 2)).view(len(self.layers), len(window), -1, len(self.heads), self.tags)
        return _loss(scores.permute(3, 0, 2, 1, 4), labels[self.heads][:, self.seeds][:, None])


class MixBank:
    """Probes of one seed on a learned mix: the mean of all layers, weighted by a softmax of numbers learnt beside it."""

    def __init__(self, seed: int, start: Tensor, scaling: Scaling, options: ProbeOptions) -> None:
        """`start` are initial weights `[heads, 1, 1, dims + 1, tags]`; all layers weigh the same at first."""
        self.layers, self.seeds, self.heads = [0], [seed], list(range(len(start)))
        self.scaling, self.options = scaling, options
        self.weights = Weights.of(start[:, 0, 0].contiguous())
        self.mix = Weights.of(start.new_zeros(len(start), len(scaling.shift)))

    def parameters(self) -> Tensor:
        """Return the weights as they are, `[heads, 1, 1, dims + 1, tags]`."""
        return self.weights.values[:, None, None]

    def select(self, heads: list[int], layers: list[int], seeds: list[int]) -> None:
        """Go on with some of the heads; there is one seed and one mix."""
        assert layers == seeds == [0]
        for each in (self.weights, self.mix):
            each.select(lambda values: values[heads])
        self.heads = [self.heads[each] for each in heads]

    def features(self, window: Tensor) -> Tensor:
        """Return all layers standardised, with a 1 at the end of each row: `[layers, rows, dims + 1]`."""
        layers = range(window.shape[1])
        made = torch.ones(len(layers), len(window), window.shape[2] + 1, device=window.device)
        for layer in layers:
            made[layer, :, :-1] = self.scaling.layer(window, layer)
        return made

    def train(self, window: Tensor, labels: Tensor, orders: Tensor) -> None:
        """One pass over a window, as `LayerBank.train`."""
        x = self.features(window)
        wanted = one_hot(labels[self.heads, self.seeds[0]], self.weights.values.shape[-1]).float()
        order = orders[self.seeds[0]]
        for at in range(0, len(window), self.options.batch):
            rows = order[at : at + self.options.batch]
            batch = x.index_select(1, rows)
            flat = batch.view(len(batch), -1)
            shares = torch.softmax(self.mix.values, -1)
            mixed = (shares @ flat).view(len(shares), *batch.shape[1:])
            off = torch.softmax(torch.bmm(mixed, self.weights.values), -1)
            off = off.sub_(wanted[:, rows]).div_(len(rows))
            # The bias' column is 1 in every layer: however they are mixed it stays so, and its part of the sum cancels below.
            of_shares = torch.bmm(off, self.weights.values.transpose(1, 2)).view(len(shares), -1) @ flat.T
            of_mix = shares * (of_shares - (shares * of_shares).sum(-1, keepdim=True))
            self.weights.update(torch.bmm(mixed.transpose(1, 2), off), self.options, self.weights.values[:, :-1])
            self.mix.update(of_mix, self.options)

    def losses(self, window: Tensor, labels: Tensor) -> Tensor:
        """Return the summed loss on a window, as `LayerBank.losses`."""
        x = self.features(window)
        mixed = (torch.softmax(self.mix.values, -1) @ x.view(len(x), -1)).view(-1, *x.shape[1:])
        return _loss(torch.bmm(mixed, self.weights.values), labels[self.heads, self.seeds[0]])[:, None, None]


def _loss(scores: Tensor, labels: Tensor) -> Tensor:
    """The sum over rows of minus the log-probability of `labels` `[..., rows]` by `scores` `[..., rows, tags]`, float64."""
    chosen = log_softmax(scores, -1).gather(-1, labels.expand(scores.shape[:-1]).unsqueeze(-1))
    return -chosen.squeeze(-1).sum(-1, dtype=torch.float64)
