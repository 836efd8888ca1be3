"""Links over a corpus against a plain loop over its sentences and their words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.backend.metrics.blocks import Stopped
from isogloss.backend.metrics.retrieval import mutual_links as module
from isogloss.backend.metrics.retrieval.mutual_links import mutual_links

Link = tuple[int, int]


def by_hand(u: Any, v: Any, of_u: list[int], of_v: list[int]) -> dict[Link, float]:
    """For every two words of one sentence: are they each other's nearest, the first where several are equally near?"""

    def cosine(a: list[float], b: list[float]) -> float:
        norms = math.sqrt(sum(x * x for x in a)) * math.sqrt(sum(y * y for y in b))
        return round(sum(x * y for x, y in zip(a, b, strict=True)) / norms, 10) if norms else 0.0

    found = {}
    for i, group in enumerate(of_u):
        for j, other in enumerate(of_v):
            if group != other:
                continue
            best_of_row = max((cosine(u[i], v[q]), -q) for q in range(len(of_v)) if of_v[q] == group)
            best_of_column = max((cosine(u[p], v[j]), -p) for p in range(len(of_u)) if of_u[p] == group)
            if -best_of_row[1] == j and -best_of_column[1] == i:
                found[i, j] = cosine(u[i], v[j])
    return found


SIDE = st.lists(st.tuples(st.integers(0, 5), st.tuples(*[st.integers(-2, 2)] * 3)), max_size=25)


@given(first=SIDE, second=SIDE, batch=st.sampled_from([1, 40, 1 << 21]))
@settings(max_examples=80)
def test_links_are_those_of_a_plain_loop(first: Any, second: Any, batch: int) -> None:
    """Small whole numbers: many words are equal or equally near, some are zero, sentences are empty or not in order."""
    of_u, of_v = [group for group, _ in first], [group for group, _ in second]
    u, v = [vector for _, vector in first], [vector for _, vector in second]
    tensors = [torch.tensor(each, dtype=torch.float16).reshape(-1, 3) for each in (u, v)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BATCH", batch)
        found = mutual_links(*tensors, of_u, of_v)
    expected = by_hand(u, v, of_u, of_v)
    assert list(zip(found.rows.tolist(), found.others.tolist(), strict=True)) == sorted(expected)
    assert found.cosines == pytest.approx([expected[link] for link in sorted(expected)], abs=1e-9)


def test_the_same_word_twice_is_linked_once_and_first() -> None:
    """Copies of one vector among many others, in sentences of every length: rounding in a product never makes them differ."""
    random = np.random.default_rng(3)
    word, other = random.normal(size=(2, 768))
    u, v, of_u, of_v = [], [], [], []
    for sentence in range(60):
        for vectors, groups, own in ((u, of_u, word), (v, of_v, word + 0.01 * other)):
            vectors += [*random.normal(size=(random.integers(1, 30), 768)), own, own, own]
            groups += [sentence] * (len(vectors) - len(groups))
    tensors = [torch.tensor(np.array(each), dtype=torch.float16) for each in (u, v)]
    found = mutual_links(*tensors, of_u, of_v)
    near = found.cosines > 0.9
    assert found.rows[near].tolist() == [np.flatnonzero(np.array(of_u) == s)[-3] for s in range(60)]
    assert found.others[near].tolist() == [np.flatnonzero(np.array(of_v) == s)[-3] for s in range(60)]


def test_nothing_in_common_has_no_links() -> None:
    found = mutual_links(torch.ones(2, 3), torch.ones(3, 3), [0, 0], [1, 1, 2])
    assert (found.rows.size, found.others.size, found.cosines.size) == (0, 0, 0)


def test_what_cannot_be_linked_is_said() -> None:
    with pytest.raises(ValueError, match="with 1 and 2 sentences"):
        mutual_links(torch.ones(2, 3), torch.ones(2, 3), [0], [0, 0])
    with pytest.raises(ValueError, match="not finite"):
        mutual_links(torch.full((1, 3), torch.nan), torch.ones(1, 3), [0], [0])
    with pytest.raises(Stopped):
        mutual_links(torch.ones(2, 3), torch.ones(2, 3), [0, 0], [0, 0], should_stop=lambda: True)
