"""Emergent-language corpora as flat arrays."""

from __future__ import annotations

import numpy as np
import pytest

from isogloss.backend.corpora.emergent.corpus import EmergentCorpus
from tests.corpora.emergent.utterances import from_utterances


def test_utterances_are_slices_of_the_ids_and_symbols_are_the_sources() -> None:
    corpus = from_utterances([[0, 2, 0], [1]], vocabulary=("wa", "tok", "7"))
    assert (corpus.tokens, corpus.utterances, corpus.vocabulary_size) == (4, 2, 3)
    assert corpus.utterance(0) == ["wa", "7", "wa"]
    assert corpus.utterance(1) == ["tok"]
    assert from_utterances([[5, 5], [0]]).utterance(0) == ["5", "5"]


@pytest.mark.parametrize(("ids", "size"), [([3, 3, 9], 2), ([0, 2_000_000_000], 2), ([4], 1)])
def test_the_vocabulary_counts_the_symbols_that_occur(ids: list[int], size: int) -> None:
    assert from_utterances([ids]).vocabulary_size == size


@pytest.mark.parametrize(
    ("ids", "starts", "vocabulary"),
    [
        ([0, 1], [0, 1], None),
        ([0, 1], [1, 2], None),
        ([0, 1], [0, 1, 1, 2], None),
        ([], [0], None),
        ([-1], [0, 1], None),
        ([2], [0, 1], ("a", "b")),
    ],
)
def test_arrays_that_do_not_fit_are_refused(ids: list[int], starts: list[int], vocabulary: tuple[str, ...] | None) -> None:
    with pytest.raises(ValueError, match=r"starts rise|vocabulary"):
        EmergentCorpus(np.array(ids, np.int32), np.array(starts, np.int64), vocabulary)


def test_arrays_of_other_types_are_refused() -> None:
    with pytest.raises(ValueError, match="int32"):
        EmergentCorpus(np.array([1]), np.array([0, 1]))
