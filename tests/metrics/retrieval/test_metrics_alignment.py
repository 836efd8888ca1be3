"""Precision, recall and error rate of links, against the paper's sets."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.metrics.retrieval.word_alignment import Quality, quality

Links = set[tuple[int, int, int]]
LINKS = st.sets(st.tuples(*[st.integers(0, 2)] * 3))
"""(sentence, word, word)."""


def of_sets(predicted: Links, sure: Links, possible: Links) -> Quality:
    """The quality of links where the words are those of gold: a pair has the link that it is."""
    sentences = []
    for number in range(3):
        pairs, gold = (sorted(link for link in links if link[0] == number) for links in (predicted, sure | possible))
        hits = np.array([[pair == link for link in gold] for pair in pairs], bool).reshape(len(pairs), len(gold))
        sentences.append((hits, np.array([link in sure for link in gold], bool)))
    return quality(sentences)


def share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan


@given(LINKS, LINKS, LINKS)
def test_quality_is_that_of_the_papers_sets(predicted: Links, sure: Links, possible: Links) -> None:
    """Och & Ney 2003, section 5, equations 14 to 16, where S is a subset of P."""
    possible |= sure
    expected = (
        share(len(predicted & possible), len(predicted)),
        share(len(predicted & sure), len(sure)),
        1 - share(len(predicted & sure) + len(predicted & possible), len(predicted) + len(sure)),
    )
    found = of_sets(predicted, sure, possible)
    assert (found.precision, found.recall, found.alignment_error_rate) == pytest.approx(expected, nan_ok=True)
    assert (found.pairs, found.sure_links) == (len(predicted), len(sure))


def test_quality_of_known_links() -> None:
    found = of_sets({(0, 0, 0), (0, 1, 1), (0, 2, 2), (1, 0, 0)}, {(0, 0, 0), (0, 1, 1), (1, 1, 1)}, {(0, 2, 2)})
    assert found == Quality(3 / 4, 2 / 3, pytest.approx(1 - (2 + 3) / (4 + 3)), 4, 3)


def test_one_link_that_two_pairs_share_is_recalled_once() -> None:
    found = quality([(np.array([[True, False], [True, False]]), np.array([True, True]))])
    assert found == Quality(1, 1 / 2, 1 - (1 + 2) / (2 + 2), 2, 2)


def test_two_sure_links_of_one_pair_leave_the_error_rate_above_zero() -> None:
    found = quality([(np.array([[True, True]]), np.array([True, True]))])
    assert found == Quality(1, 1, pytest.approx(1 - (1 + 1) / (1 + 2)), 1, 2)
