"""The description length of tags given vectors, by online coding: probes trained on ever more of the words send the rest.

Source: Voita & Titov 2020, section 2.2.2. Blocks end within sentences, which are sent in a random order.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.metrics.probing.codelength import block_ends, compression, description_length

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from isogloss.backend.experiments.probing.examples import Examples
    from isogloss.backend.training.probe.options import ProbeOptions
    from isogloss.backend.training.probe.probes import Place

DRAW = 20_250_103
"""Of the order in which sentences are sent."""


@dataclass(frozen=True, eq=False)
class Lengths:
    """How long the tags' code is."""

    places: tuple[Place, ...]
    bits: NDArray[np.float64]
    """`[places, seeds]`, of all words together; lower is better."""
    compression: NDArray[np.float64]
    """`[places, seeds]`: how many times shorter than the uniform code; higher is better."""


def measure(
    training: Examples,
    validation: Examples,
    tags: int,
    options: ProbeOptions,
    device: str,
    progress: Callable[[float], None],
    should_stop: Callable[[], bool],
) -> Lengths:
    """Send the tags of `training`, stopping each training by `validation`; `progress` gets the percent trained on.

    Raises what training raises.
    """
    from isogloss.backend.training.probe.features import ChosenFeatures, Labelled
    from isogloss.backend.training.probe.probes import predict
    from isogloss.backend.training.probe.train import train_probes

    order, labels = _sent(training), training.labels
    ends = block_ends(len(order))
    plain, nats = options.model_copy(update={"control": False}), []
    places: tuple[Place, ...] = ()
    for start, end in pairwise(ends):
        progress(100 * start / len(order))
        sent = Labelled(ChosenFeatures(training.features, order[:start]), labels[order[:start]])
        probes = train_probes(sent, validation.part(), tags, plain, device=device, should_stop=should_stop)
        block = ChosenFeatures(training.features, order[start:end])
        told = predict(probes, block, labels=labels[order[start:end]], device=device, should_stop=should_stop)
        assert told.nats is not None
        nats.append(told.nats)
        places = probes.places
    bits = description_length(ends[0], tags, np.stack(nats))
    return Lengths(places, bits, compression(len(order), tags, bits))


def _sent(training: Examples) -> NDArray[np.int64]:
    """Return the rows in the order in which they are sent: sentence by sentence, drawn once for all models."""
    begins = training.begins
    drawn = np.random.default_rng(DRAW).permutation(len(begins) - 1)
    return np.concatenate([np.arange(begins[i], begins[i + 1]) for i in drawn.tolist()])
