"""Small emergent corpora, from lists of ids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from isogloss.backend.corpora.emergent.corpus import EmergentCorpus, EmergentReport


def from_utterances(
    utterances: Iterable[Sequence[int]], vocabulary: tuple[str, ...] | None = None, report: EmergentReport | None = None
) -> EmergentCorpus:
    """Return a small corpus from lists of ids; raises `ValueError` as the corpus does."""
    rows = [np.asarray(row, np.int32) for row in utterances]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    ids = np.concatenate(rows) if rows else np.empty(0, np.int32)
    return EmergentCorpus(ids, starts, vocabulary, report or EmergentReport("arrays"))
