"""A model of the same shape with random weights: what it scores owes to its architecture and tokeniser alone. No torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.models.files.fingerprint import untrained_fingerprint

if TYPE_CHECKING:
    from isogloss.backend.models.entry import Checkpoint, Model


def untrained(model: Model, seed: int = 0) -> Model:
    """Return random weights in the shape of a model: one checkpoint, that of its first, whose files are read for it.

    They are drawn anew wherever it is loaded, by `seed`, as its architecture begins a training; nothing is written.
    """
    first = model.checkpoints[0]
    other = {"label": f"seed {seed}", "step": None, "stage": "", "tokens": None, "untrained": seed}
    drawn = first.model_copy(update=other | {"fingerprint": untrained_fingerprint(first.fingerprint, seed)})
    return model.model_copy(update={"name": f"{model.name}, random weights", "checkpoints": (drawn,), "formerly": ()})


def is_of(checkpoint: Checkpoint, model: Model) -> bool:
    """Return whether a checkpoint is random weights in the shape of a model."""
    seed = checkpoint.untrained
    return seed is not None and untrained_fingerprint(model.checkpoints[0].fingerprint, seed) == checkpoint.fingerprint
