"""What is reached without reading a text: by a random prediction, and by always giving the most frequent training label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.errors import IsoglossError
from isogloss.backend.experiments.transfer.data import data_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

CHANCE, CONSTANT = "chance", "most frequent label"
NEAR = 0.005
"""Levels nearer than this are drawn as one."""


@dataclass(frozen=True)
class Guess:
    """How often guesses are right. Shares, 0 to 1; nan where the data cannot be read."""

    classes: int
    trained: float
    """Of the training examples: those with their most frequent label."""
    validated: float
    """Of the validation examples: those with that label, mean over languages; nan without any."""

    def errors(self, at: float = 0.0) -> dict[str, float]:
        """Return the error of each guess on training examples or translations, less a training error `at`, by its name.

        Of a model with that training error, these are its interlingual gaps where it guesses in the target.
        """
        return _levels(1 - 1 / self.classes - at, 1 - self.trained - at)

    def accuracies(self) -> dict[str, float]:
        """Return the accuracy of each guess on validation examples, by its name."""
        return _levels(1 / self.classes, self.validated)

    def target_errors(self) -> dict[str, float]:
        """Return the error of each guess on validation examples, by its name."""
        return {name: 1 - share for name, share in self.accuracies().items()}


def _levels(chance: float, constant: float) -> dict[str, float]:
    return {CHANCE: chance} | ({CONSTANT: constant} if abs(constant - chance) > NEAR else {})


def guess_of(provenance: Mapping[str, Any], workspaces: Sequence[Path]) -> Guess:
    """Return the guesses on the data of one run, as its file of records describes it."""
    classes = int(provenance["classes"])
    try:
        data = data_of(provenance, workspaces).data
    except IsoglossError:  # the text is not here: a random prediction needs none
        return Guess(classes, float("nan"), float("nan"))
    constant = int(np.bincount(data.labels).argmax())
    shares = [float(np.mean(labels == constant)) for labels in data.validation_labels.values() if len(labels)]
    return Guess(classes, float(np.mean(data.labels == constant)), float(np.mean(shares)) if shares else float("nan"))
