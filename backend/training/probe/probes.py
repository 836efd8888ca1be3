"""Trained probes, and what they predict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from backend.training.probe.features import Features

Head = Literal["tags", "control"]
"""What a probe learnt: the tags, or the control task's random ones."""

Place = int | Literal["mean of layers", "learned mix"]
"""What a probe reads: a layer's number; the mean of all layers; or their mean with weights learnt beside the probe."""


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
    shift: NDArray[np.float32]
    """`[layers, dims]`: subtracted from features before anything else; zeros without standardisation."""
    scale: NDArray[np.float32]
    """`[layers, dims]`: multiplied with them then; ones without standardisation."""
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
    """`[places, seeds, rows]`: the number of the likeliest tag."""
    nats: NDArray[np.float64] | None
    """`[places, seeds]`: the sum over rows of minus the log-probability of the right tag, where labels were given."""


def predict(
    probes: Probes,
    features: Features,
    *,
    head: Head = "tags",
    labels: NDArray[np.int64] | None = None,
    device: str = "cpu",
    progress: Callable[[int, int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Predictions:
    """Tag rows with every probe of a head, reading the features once."""
    raise NotImplementedError
