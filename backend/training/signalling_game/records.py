"""What is recorded of the agents of a step: how well they play, and what their language is like."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from isogloss.backend.training.resumable.log import read

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class GameRecord:
    """The agents after a step, speaking without noise. A function of their weights and the options."""

    step: int
    """Updates so far; 0 for the untrained agents."""
    epoch: int
    """Passes over the training objects so far."""
    loss: float
    """Cross-entropy of the receiver's answers about training objects, in nats."""
    success: float
    """The share of training objects that the receiver finds, or all of whose values it names."""
    attributes: float | None
    """The share of single values that it names, of training objects; None in discrimination."""
    held_out_loss: float | None
    """As `loss`, about objects never trained on; None where none are held out. Their distractors are held out, too."""
    held_out_success: float | None
    held_out_attributes: float | None
    length: float
    """Mean symbols of a message, of training objects."""
    different: float
    """Different messages for each training object (of those evaluated); 1 where no two share a message."""
    topographic_similarity: float | None
    """`backend.metrics.corpus.topographic_similarity` of some of the game's objects; None where it is not defined."""
    temperature: float
    """Of the Gumbel-softmax in the epoch."""


def to_line(record: GameRecord) -> dict[str, Any]:
    """Return a record as a line of the log. JSON has no nan: what is not defined is null."""
    return {name: None if isinstance(value, float) and math.isnan(value) else value for name, value in asdict(record).items()}


def read_records(log: Path) -> list[GameRecord]:
    """Return the records of a game's log, in their order; none where it has no log yet."""
    return [GameRecord(**line) for line in read(log)]
