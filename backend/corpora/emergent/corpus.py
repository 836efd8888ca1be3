"""An emergent-language corpus: utterances of symbols, flat in memory."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from isogloss.backend.corpora.parallel.corpus import LeftOut, Skipped

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isogloss.backend.corpora.emergent.meanings import Meanings
    from isogloss.backend.corpora.shared.loss import Loss


HUMAN_TEXT = "human-language text"
"""The format of text made into a corpus of sub-words."""

Origin = Literal["emergent", "human", "synthetic", "random"]
"""What a corpus is: of agents (or not known to be anything else), text of people, made to be like a language, or noise."""

Symbols = Literal["integers", "words", "characters"]
"""What the symbols of a corpus are in its source."""
UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Control characters, and those that turn the direction of what follows them: a symbol alone must not reverse its table."""


def visible(symbol: str) -> str:
    """Return a symbol for people to look at: what has no shape of its own, or would change its neighbours', is escaped."""
    return UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", symbol)


@dataclass(frozen=True)
class EmergentReport(LeftOut):
    """What a reader recognised: shown before the user keeps the corpus."""

    format: str
    """As its users know it: `JSON Lines of integer arrays`; for a made corpus, what made it."""
    symbols: Symbols = "integers"
    skipped: tuple[Skipped, ...] = ()
    """The first rows left out (at most `parallel.SHOWN`), in order; `skipped_count` counts all."""
    more_skipped: int = 0
    reasons: tuple[tuple[str, int], ...] = ()
    """How many rows were left out for each reason, most frequent first: `("a negative id", 3)`."""
    warnings: tuple[str, ...] = ()
    """Sentences about what is odd but kept."""
    source: str | None = None
    """Where it came from or how it was made, as precisely as known; None for dropped files."""
    language: str | None = None
    """BCP-47, of human-language text; None of anything else."""
    origin: Origin = "emergent"
    losses: tuple[Loss, ...] = field(default=(), compare=False)
    """What each file lost, where it was read just now."""
    blank: int = 0
    """Lines that hold nothing, which are passed over."""
    unread: tuple[str, ...] = field(default=(), compare=False)
    """The fields or columns beside the utterances that were not read, where it was read just now: one may be the meaning."""


@dataclass(frozen=True, eq=False)
class EmergentCorpus:
    """Utterances one after the other: utterance `u` is `ids[starts[u]:starts[u + 1]]`. None is empty.

    Ids count from 0. The readers number the symbols that occur densely: integers in their numerical order, words and characters
    by first occurrence. With a `vocabulary`, id `i` is the symbol `vocabulary[i]` of the source (an integer as its decimal
    digits); without one the ids are the source's integers themselves.
    Raises `ValueError` where the arrays do not fit each other, which is a mistake of their maker, never of a file.
    """

    ids: NDArray[np.int32]
    """[tokens]"""
    starts: NDArray[np.int64]
    """[utterances + 1]; from 0 to the number of tokens, rising."""
    vocabulary: tuple[str, ...] | None = None
    report: EmergentReport = field(default_factory=lambda: EmergentReport("arrays"))
    meanings: Meanings | None = None
    """What each utterance means, where that is known."""

    def __post_init__(self) -> None:
        if self.ids.dtype != np.int32 or self.starts.dtype != np.int64 or self.ids.ndim != 1 or self.starts.ndim != 1:
            raise ValueError("ids are int32 and starts int64, both of one dimension")
        rising = len(self.starts) > 1 and bool((np.diff(self.starts) > 0).all())
        if not rising or self.starts[0] != 0 or self.starts[-1] != len(self.ids):
            raise ValueError("starts rise from 0 to the number of ids; there is at least one utterance, and none is empty")
        largest = np.iinfo(np.int32).max if self.vocabulary is None else len(self.vocabulary) - 1
        if self.ids.min() < 0 or self.ids.max() > largest:
            raise ValueError("an id is outside the vocabulary")
        if self.meanings is not None and self.meanings.table.num_rows != self.utterances:
            raise ValueError("each utterance has one meaning")

    @property
    def tokens(self) -> int:
        """Count the symbols of all utterances together."""
        return len(self.ids)

    @property
    def utterances(self) -> int:
        """Count the utterances; at least 1."""
        return len(self.starts) - 1

    @cached_property
    def vocabulary_size(self) -> int:
        """How many different symbols occur."""
        if self.ids.max() < 8 * self.tokens + 1024:  # a table of flags is small then, and much faster than sorting
            seen = np.zeros(int(self.ids.max()) + 1, bool)
            seen[self.ids] = True
            return int(np.count_nonzero(seen))
        return len(np.unique(self.ids))

    def symbol(self, identifier: int) -> str:
        """Return the symbol of an id as its source has it."""
        return str(identifier) if self.vocabulary is None else self.vocabulary[identifier]

    def utterance(self, place: int) -> list[str]:
        """Return the symbols of an utterance, as its source has them."""
        return [self.symbol(each) for each in self.ids[self.starts[place] : self.starts[place + 1]].tolist()]
