"""One probe after another, as plainly as torch allows: what the probes trained together must equal."""

from __future__ import annotations

import numpy as np
import torch

from isogloss.backend.training.probe.options import ProbeOptions
from isogloss.backend.training.probe.probes import MEAN_OF_LAYERS, MIX, Place
from isogloss.backend.training.probe.reading import epoch_windows, seed_orders
from isogloss.backend.training.probe.train import initial_weights


def standardised(training: np.ndarray, other: np.ndarray, options: ProbeOptions) -> torch.Tensor:
    """`[rows, layers, dims]` of `other`, by means and deviations of `training`."""
    if options.standardisation == "none":
        return torch.from_numpy(other).double()
    values = training.astype(np.float64)
    return torch.from_numpy((other.astype(np.float64) - values.mean(0)) / values.std(0))


class PlainProbe(torch.nn.Module):
    """A linear layer over one layer, the mean of all, or a learned mix."""

    def __init__(self, place: Place, start: np.ndarray, layers: int) -> None:
        super().__init__()
        self.place = place
        self.linear = torch.nn.Linear(start.shape[0] - 1, start.shape[1], dtype=torch.float64)
        self.linear.weight.data = torch.from_numpy(start[:-1].T.copy()).double()
        self.linear.bias.data = torch.from_numpy(start[-1].copy()).double()
        self.mix = torch.nn.Parameter(torch.zeros(layers, dtype=torch.float64))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.place == MIX:
            return self.linear((torch.softmax(self.mix, 0)[:, None] * x).sum(1))
        return self.linear(x.mean(1) if self.place == MEAN_OF_LAYERS else x[:, int(self.place)])


def train_plainly(
    training: np.ndarray,
    labels: np.ndarray,
    validation: np.ndarray,
    validation_labels: np.ndarray,
    tags: int,
    options: ProbeOptions,
    place: Place,
    seed: int,
    head: int = 0,
) -> tuple[PlainProbe, list[float]]:
    """The probe at its best, and its validation loss after each epoch."""
    x, held = (standardised(training, each, options) for each in (training, validation))
    y, held_y = torch.from_numpy(labels), torch.from_numpy(validation_labels)
    probe = PlainProbe(place, initial_weights(place, seed, 2, x.shape[2], tags)[head], x.shape[1])
    others = [probe.linear.bias, probe.mix]
    decay = options.weight_decay if options.optimiser == "adam" else 0.0
    groups = [{"params": [probe.linear.weight], "weight_decay": decay}, {"params": others, "weight_decay": 0.0}]
    optimiser = (
        torch.optim.AdamW(groups, lr=options.learning_rate)
        if options.optimiser == "adam"
        else torch.optim.SGD(groups, lr=options.learning_rate, momentum=0.9)
    )
    losses: list[float] = []
    best = {name: value.clone() for name, value in probe.state_dict().items()}
    for epoch in range(options.epochs):
        for window, rows in enumerate(epoch_windows(len(x), epoch, options)):
            order = rows[seed_orders(len(rows), (seed,), epoch, window)[0].numpy()]
            for at in range(0, len(order), options.batch):
                batch = torch.from_numpy(order[at : at + options.batch])
                optimiser.zero_grad()
                torch.nn.functional.cross_entropy(probe(x[batch]), y[batch]).backward()
                if options.optimiser == "sgd":  # torch's own decay would go through the momentum
                    probe.linear.weight.data *= 1 - options.learning_rate * options.weight_decay
                optimiser.step()
        with torch.no_grad():
            losses.append(float(torch.nn.functional.cross_entropy(probe(held), held_y)))
        if losses[-1] == min(losses):
            best = {name: value.clone() for name, value in probe.state_dict().items()}
        if epoch - int(np.argmin(losses)) >= options.patience:
            break
    probe.load_state_dict(best)
    return probe, losses
