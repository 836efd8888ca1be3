"""Description length by online coding: probes trained on ever more of the training words, each tested on those that follow.

Source: Voita & Titov 2020, section 2.2.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from backend.metrics.probing.codelength import block_ends, compression, description_length
from backend.training.probe.features import some
from backend.training.probe.probes import predict
from backend.training.probe.train import check, train_probes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from backend.training.probe.features import Part
    from backend.training.probe.options import ProbeOptions
    from backend.training.probe.probes import Head, Place

_ORDER = 20_250_103


@dataclass(frozen=True, eq=False)
class CodeLengths:
    """Online code lengths of the training tags, of every probe."""

    places: tuple[Place, ...]
    heads: tuple[Head, ...]
    ends: tuple[int, ...]
    """How many words have been sent after each block."""
    bits: NDArray[np.float64]
    """`[heads, places, seeds]`: lower is better."""
    compression: NDArray[np.float64]
    """`[heads, places, seeds]`: the uniform code's length over this one's, higher is better, 1 is no regularity."""


def code_lengths(
    training: Part,
    validation: Part,
    tags: int,
    options: ProbeOptions,
    *,
    places: Sequence[Place] | None = None,
    device: str = "auto",
    progress: Callable[[int, int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> CodeLengths:
    """The description length of the training part's tags given each layer's features, for every place, seed and head.

    The words are sent in a random order, the same for all probes. A block is coded by a probe trained, with early stopping on
    `validation`, on all words before it; the first by log2(`tags`) bits a word. All trainings together cost about as much as
    one on all words. Arguments as in `train_probes`; `progress` gets (blocks sent, all). Raises what `train_probes` raises.
    """
    probed = check(training, validation, tags, options, places)
    order = np.random.default_rng(_ORDER).permutation(training.features.rows)
    ends = block_ends(len(order))
    heads: tuple[Head, ...] = ("tags", "control") if options.control else ("tags",)
    shape = len(heads), len(probed), len(options.seeds)
    nats = np.zeros((len(ends) - 1, *shape))
    for number, (seen, end) in enumerate(pairwise(ends)):
        probes = train_probes(
            *(some(training, order[:seen]), validation, tags, options), places=probed, device=device, should_stop=should_stop
        )
        block = some(training, order[seen:end])
        for head, name in enumerate(heads):
            labels = block.control if name == "control" else block.labels
            found = predict(probes, block.features, head=name, labels=labels, device=device, should_stop=should_stop)
            assert found.nats is not None
            nats[number, head] = found.nats
        if progress is not None:
            progress(number + 1, len(ends) - 1)
    bits = description_length(ends[0], tags, nats)
    return CodeLengths(probed, heads, ends, bits, compression(len(order), tags, bits))
