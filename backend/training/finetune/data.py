"""What a model is fine-tuned and evaluated on: texts and labels, aligned over languages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

MOST_CLASSES = 256


@dataclass(frozen=True, eq=False)
class ClassificationData:
    """A labelled task in several languages, split into training and validation examples.

    Row k of every language's training texts is the same example: trained on in the source language, evaluated in the others.
    """

    source: str
    """BCP-47 tag of the language trained on."""
    train: Mapping[str, Sequence[str] | Sequence[tuple[str, str]]]
    """Training texts, or pairs of them, by language."""
    labels: NDArray[np.int64]
    """`[training examples]`: classes, counted from 0. The label of a translated example is its source's."""
    validation: Mapping[str, Sequence[str] | Sequence[tuple[str, str]]] = field(default_factory=dict)
    """Texts never trained on, by language; empty where there is no task data."""
    validation_labels: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)
    """`[validation examples]` for each language of `validation`: labels may differ between languages (PAWS-X)."""
    extra: Sequence[str] | Sequence[tuple[str, str]] = ()
    """More examples of the source language to train on, without translations: no error is computed on them."""
    extra_labels: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    least_classes: int = 2
    """How many classes the task has, where these languages need not have examples of all of them."""

    def __post_init__(self) -> None:
        if self.source not in self.train:
            raise SpecError(f"There are no training examples in {self.source}, the source language. Choose another source.")
        rows = [(len(texts), len(self.labels), f"training examples in {tag}") for tag, texts in self.train.items()]
        rows += [
            (len(texts), len(self.validation_labels.get(tag, ())), f"validation examples in {tag}")
            for tag, texts in self.validation.items()
        ]
        rows += [(len(self.extra), len(self.extra_labels), "additional training examples")]
        for texts, labels, what in rows:
            if texts != labels:
                raise SpecError(f"There are {texts} {what} but {labels} labels. Give every example one label.")
        if len(self.labels) == 0:
            raise SpecError("There are no training examples. Choose a larger training part.")
        used = np.concatenate([self.labels, self.extra_labels, *(self.validation_labels[tag] for tag in self.validation)])
        if used.min() < 0 or used.max() >= MOST_CLASSES:
            raise SpecError(f"Labels must be classes from 0 to {MOST_CLASSES - 1}. Number the classes from 0.")

    @property
    def classes(self) -> int:
        """At least two, so that a degenerate task still has something to be wrong about."""
        # Not those seen alone: a class of another language's would widen the head, and with it all that is drawn from a seed.
        all_labels = (self.labels, self.extra_labels, *(self.validation_labels[tag] for tag in self.validation))
        return max(2, self.least_classes, 1 + max(int(labels.max()) for labels in all_labels if len(labels)))
