"""What probes are trained and tested on: words with tags, or labelled sentences, and their vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from isogloss.backend.experiments.probing.features import Encoder, Share
    from isogloss.backend.training.probe.features import Features, Labelled


@dataclass(frozen=True, eq=False)
class Examples:
    """What a probe reads and what it should tell: a row a word or a labelled example; those without a vector are left out."""

    features: Features
    labels: NDArray[np.int64]
    """`[rows]`: the number of each row's tag."""
    sentences: NDArray[np.int32]
    """`[rows]`: the number of its sentence in the part, rising."""
    places: NDArray[np.int32]
    """`[rows]`: the number of the word in its sentence; 0 where a row is a whole example."""
    words: Sequence[str]
    """`[rows]`: each word as it is written; empty where a row is no word."""
    lost: int
    """Words without a vector: cut off with the end of their sentence, or unknown to the tokeniser."""
    devices: frozenset[str]
    """What the vectors were computed on, now or before."""
    precisions: frozenset[str]
    origin: str
    """What of the data it is: `train`, or `half of validation` where the data lack the part."""

    @property
    def begins(self) -> NDArray[np.int64]:
        """`[sentences + 1]`: where the rows of each sentence begin that has any, and the end of all."""
        return np.append(np.flatnonzero(np.diff(self.sentences, prepend=-1)), len(self.sentences))

    def part(self, control: NDArray[np.int64] | None = None) -> Labelled:
        """Return the rows as training takes them, with the tags of a control task where there are some."""
        from isogloss.backend.training.probe.features import Labelled

        return Labelled(self.features, self.labels, control)


class Data(Protocol):
    """What a shard is trained and tested on, whatever its rows are."""

    tags: tuple[str, ...]
    """Those that probes know first, in alphabetical order; then those of other data tested on, which are never right."""
    known: int
    """How many of them probes know."""
    entities: bool
    """Whether tags begin names and go on with them, so that whole names are counted too."""

    def training(self, encoder: Encoder, source: str, share: Share) -> Examples:
        """Return what is trained on in a language: as much of the training part as the options say."""

    def validation(self, encoder: Encoder, source: str, share: Share) -> Examples:
        """Return what training stops by."""

    def test(self, encoder: Encoder, target: str, share: Share) -> Examples:
        """Return what is tested on in a language."""
