"""Which words of tagged text have kept vectors: the work of a shard is what must be encoded. By the names of files alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.errors import IsoglossError
from isogloss.backend.experiments.probing.features import SEGMENTATION, pieces_of_words
from isogloss.backend.experiments.probing.tagged_words import ids_of, loaded
from isogloss.backend.experiments.vectors import kept_vectors
from isogloss.backend.store import embeddings, word_embeddings
from isogloss.backend.training.probe.subset import drawn_sentences

if TYPE_CHECKING:
    from isogloss.backend.corpora.tagged.parts import Part
    from isogloss.backend.experiments.family import Place
    from isogloss.backend.experiments.probing.spec import ProbingWordsSpec


@dataclass(frozen=True)
class Piece:
    """Words that are encoded and kept together."""

    words: int
    sentences: str
    """The digest of their sentences' ids."""


def lacking(spec: ProbingWordsSpec, fingerprint: str, language: str, part: Part, place: Place) -> float:
    """Return the share of the words of a part that a checkpoint must encode, 0 to 1; 1 where the text cannot be read.

    Only files in the precision that the worker computes in serve.
    """
    tested = part == "test" and spec.tested is not None
    corpus = str(spec.tested) if tested else spec.corpus
    most = spec.probe.training_words if part == "train" else None
    pieces = _pieces(corpus, language, part, most, tested, place.workspaces)
    of, there = (fingerprint, corpus, language, SEGMENTATION[spec.probe.pooling]), kept_vectors.files(place.workspaces)
    total = sum(piece.words for piece in pieces)
    left = sum(
        piece.words
        for piece in pieces
        if word_embeddings.key_of(*of, piece.sentences, spec.prefix, place.precision).file not in there
    )
    return left / total if total else 1.0


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
