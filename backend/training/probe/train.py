"""Probes of all layers and seeds, trained together over the same frozen features."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from backend.training.probe.features import Part
    from backend.training.probe.options import ProbeOptions
    from backend.training.probe.probes import Probes


def train_probes(
    training: Part,
    validation: Part,
    tags: int,
    options: ProbeOptions,
    *,
    device: str = "auto",
    progress: Callable[[int, int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Probes:
    """Train probes of every layer, their mean and a learned mix, with every seed, on tags and on the control task.

    `tags` is how many there are: labels run from 0 to `tags - 1`. The control task is learnt where `options.control` is set and
    both parts carry its labels. `progress` gets (probes stopped, all) after every epoch.

    Raises:
        FeatureError: A part is empty, its labels do not fit, or a feature is NaN or infinite (the layer is named).
        StoppedError: `should_stop` said so.
    """
    raise NotImplementedError
