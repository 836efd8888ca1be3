"""Which words of tagged text have kept vectors: a price counts only what must be encoded. By the names of files alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from backend.errors import IsoglossError
from backend.experiments import kept_vectors
from backend.experiments.probing.features import SEGMENTATION, pieces_of_words
from backend.experiments.probing.tagged_words import ids_of, loaded
from backend.store import embeddings, word_embeddings
from backend.training.probe.subset import drawn_sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from backend.corpora.tagged.parts import Part
    from backend.experiments.probing.spec import ProbingWordsSpec


@dataclass(frozen=True)
class Piece:
    """Words that are encoded and kept together."""

    words: int
    sentences: str
    """The digest of their sentences' ids."""


class KeptWords:
    """What is kept of a spec's words, and how much of it was asked about."""

    def __init__(self, spec: ProbingWordsSpec, workspaces: Sequence[Path], precision: str) -> None:
        """List the files of vectors; those in the `precision` that the worker computes in serve."""
        self.spec, self.workspaces, self.precision = spec, tuple(workspaces), precision
        self._files = kept_vectors.files(workspaces)
        self._found: dict[tuple[str, str, Part], float] = {}

    def lacking(self, fingerprint: str, language: str, part: Part) -> float:
        """Return the share of the words of a part that a checkpoint must encode, 0 to 1; 1 where the text cannot be read."""
        place = fingerprint, language, part
        if place not in self._found:
            spec, tested = self.spec, part == "test" and self.spec.tested is not None
            corpus = str(spec.tested) if tested else spec.corpus
            most = spec.probe.training_words if part == "train" else None
            pieces = _pieces(corpus, language, part, most, tested, self.workspaces)
            total = sum(piece.words for piece in pieces)
            left = sum(piece.words for piece in pieces if self._file(fingerprint, corpus, language, piece) not in self._files)
            self._found[place] = left / total if total else 1.0
        return self._found[place]

    @property
    def said(self) -> str:
        """How much of what was asked about is kept, in words; empty where nothing is."""
        whole = sum(not left for left in self._found.values())
        if not any(left < 1 for left in self._found.values()):
            return ""
        if whole == len(self._found):
            return "all vectors are kept: nothing is encoded"
        return f"vectors of {whole:,} of {len(self._found):,} parts of languages are kept: the others are encoded"

    def _file(self, fingerprint: str, corpus: str, language: str, piece: Piece) -> str:
        kind = SEGMENTATION[self.spec.probe.pooling]
        of = fingerprint, corpus, language, kind
        return word_embeddings.key_of(*of, piece.sentences, self.spec.prefix, self.precision).file


@lru_cache(maxsize=512)
def _pieces(
    corpus: str, language: str, part: Part, most: int | None, tested: bool, workspaces: tuple[Path, ...]
) -> tuple[Piece, ...]:
    """Return how a part is cut, found once: a corpus' id is its content."""
    try:
        found = loaded(corpus, workspaces)
        counts, origin = found.word_counts(language, part, own=tested)
    except IsoglossError:
        return ()
    numbers = drawn_sentences(counts, most) if part == "train" else np.arange(len(counts))
    sizes, ids = counts[numbers].tolist(), ids_of(part, origin, numbers.tolist())
    return tuple(
        Piece(sum(sizes[begin:end]), embeddings.sentences_digest(ids[begin:end])) for begin, end in pieces_of_words(sizes)
    )
