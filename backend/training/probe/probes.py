"""Trained probes, and what they predict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import torch

from isogloss.backend.metrics.blocks import workers
from isogloss.backend.models.device import choose_device
from isogloss.backend.training.probe.features import ProbeError
from isogloss.backend.training.probe.reading import Scaling, read, stored_order

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from torch import Tensor

    from isogloss.backend.training.probe.features import Features

Head = Literal["tags", "control"]
"""What a probe learnt: the tags, or the control task's random ones."""

Place = int | Literal["mean of layers", "learned mix"]
"""What a probe reads: a layer's number; the mean of all layers; or their mean with weights learnt beside the probe."""

MEAN_OF_LAYERS: Literal["mean of layers"] = "mean of layers"
MIX: Literal["learned mix"] = "learned mix"

ROWS = 1024
"""Rows read at a time: changes no result."""


@dataclass(frozen=True, eq=False)
class Probes:
    """Probes of every place and seed, each with its weights at its lowest validation loss."""

    places: tuple[Place, ...]
    """What was probed: 0 to L, the mean of layers, the learned mix."""
    seeds: tuple[int, ...]
    heads: tuple[Head, ...]
    weights: NDArray[np.float32]
    """`[heads, places, seeds, dims, tags]`."""
    bias: NDArray[np.float32]
    """`[heads, places, seeds, tags]`."""
    mix: NDArray[np.float32]
    """`[heads, seeds, layers]`: the layers' weights in the learned mix, each row summing to one."""
    scaling: Scaling
    """What is done to features before anything else, on the CPU; shift 0 and scale 1 without standardisation."""
    losses: NDArray[np.float64]
    """`[epochs, heads, places, seeds]`: the validation loss after each epoch, in nats a word; nan once a probe has stopped."""
    best: NDArray[np.int64]
    """`[heads, places, seeds]`: the epoch (from 0) of the lowest."""
    at_limit: NDArray[np.bool_]
    """`[heads, places, seeds]`: true for a probe that ran all epochs allowed without stopping by itself."""


@dataclass(frozen=True, eq=False)
class Predictions:
    """What probes say of some rows."""

    tags: NDArray[np.uint8] | NDArray[np.uint16]
    """`[places, seeds, rows]`: the number of the likeliest tag, the lowest of equally likely ones."""
    nats: NDArray[np.float64] | None
    """`[places, seeds]`: the sum over rows of minus the log-probability of the right tag, where labels were given."""


def predict(
    probes: Probes,
    features: Features,
    *,
    head: Head = "tags",
    labels: NDArray[np.int64] | None = None,
    device: str = "auto",
    progress: Callable[[int, int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Predictions:
    """Tag rows with every probe of a head, reading the features once.

    `labels` `[rows]`, all of them tags that the probes know, are only for `Predictions.nats`. `progress` gets (rows, all).

    Raises:
        ProbeError: The features have another shape than those trained on, or one is not finite; a label is unknown; the probes
            have no such head.
        StoppedError: `should_stop` said so.
    """
    tags = probes.weights.shape[-1]
    if (features.layers, features.dims) != (trained := tuple(probes.scaling.shift.shape)):
        raise ProbeError(f"The probes were trained on {trained} layers and dimensions, not {(features.layers, features.dims)}.")
    if head not in probes.heads:
        raise ProbeError("These probes were trained without a control task.")
    if labels is not None and (
        labels.shape != (features.rows,) or (labels.size and not 0 <= labels.min() <= labels.max() < tags)
    ):
        raise ProbeError(f"Losses need {features.rows} tags from 0 to {tags - 1}.")
    chosen = choose_device(device)
    predictions = np.empty((len(probes.places), len(probes.seeds), features.rows), np.uint8 if tags <= 256 else np.uint16)
    nats = np.zeros(predictions.shape[:2])
    with torch.inference_mode(), workers(chosen) as run_each:
        model = _Model(probes, head, chosen)
        for rows in stored_order(features.rows, ROWS):
            window = read(features, rows, chosen, should_stop)
            right = None if labels is None else torch.from_numpy(labels[rows]).to(chosen)

            def tag(place: int, window: Tensor = window, right: Tensor | None = right, rows: NDArray[np.int64] = rows) -> None:
                scores = model.scores(window, place)
                predictions[place][:, rows] = scores.argmax(-1).cpu().numpy()
                if right is not None:
                    chances = torch.log_softmax(scores, -1).gather(-1, right.expand(len(scores), -1).unsqueeze(-1))
                    nats[place] -= chances.sum((1, 2), dtype=torch.float64).cpu().numpy()

            run_each(tag, range(len(probes.places)))
            if progress is not None:
                progress(int(rows[-1]) + 1, features.rows)
    return Predictions(predictions, None if labels is None else nats)


class _Model:
    """One head's weights on a device."""

    def __init__(self, probes: Probes, head: Head, device: torch.device) -> None:
        number = probes.heads.index(head)
        self.places = probes.places
        self.scaling = probes.scaling.to(device)
        parts = probes.weights[number], probes.bias[number], probes.mix[number]
        self.weights, self.bias, self.mix = (torch.from_numpy(part).to(device) for part in parts)

    def scores(self, window: Tensor, place: int) -> Tensor:
        """Return the scores of every tag by every seed: `[seeds, rows, tags]`."""
        name, weights, bias = self.places[place], self.weights[place], self.bias[place][:, None]
        if name == MIX:
            layers = torch.stack([self.scaling.layer(window, layer) for layer in range(window.shape[1])])
            mixed = (self.mix @ layers.flatten(1)).view(-1, *layers.shape[1:])
            return torch.baddbmm(bias, mixed, weights)
        x = self.scaling.mean(window) if name == MEAN_OF_LAYERS else self.scaling.layer(window, int(name))
        return torch.baddbmm(bias, x.expand(len(weights), -1, -1), weights)
