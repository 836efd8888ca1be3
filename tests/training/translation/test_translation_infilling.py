"""Text infilling against a slow version that walks along a window."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from isogloss.backend.training.translation.infilling import Spans, draw_spans, infill
from isogloss.backend.training.translation.options import Infilling

MASK, PADDING = 900, 901


def slowly(ids: list[int], lengths: list[int], before: list[int]) -> tuple[list[int], list[bool]]:
    """One window: walk along it, and put a mask wherever a span begins."""
    spans = [(place, length) for place, length in zip(before, lengths, strict=True) if length >= 0]
    read: list[int] = []
    hidden: list[bool] = []
    at = stayed = 0
    while at < len(ids) or spans:
        if spans and spans[0][0] == stayed:
            _, length = spans.pop(0)
            read.append(MASK)
            hidden += [True] * length
            at += length
        else:
            read.append(ids[at])
            hidden.append(False)
            at += 1
            stayed += 1
    return read, hidden


def compare(ids: NDArray[np.int32], spans: Spans) -> None:
    found = infill(ids, spans, MASK, PADDING)
    rows = [slowly(*each) for each in zip(ids.tolist(), spans.lengths.tolist(), spans.before.tolist(), strict=True)]
    longest = max((len(read) for read, _ in rows), default=0)
    assert found.read.tolist() == [read + [PADDING] * (longest - len(read)) for read, _ in rows]
    assert found.hidden.tolist() == [hidden for _, hidden in rows]


@given(
    windows=st.integers(0, 5),
    context=st.integers(1, 40),
    ratio=st.sampled_from([0.001, 0.1, 0.3, 0.5, 0.99, 1.0]),
    mean=st.sampled_from([0.5, 1.0, 3.0, 50.0]),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=100)
def test_what_is_drawn_hides_the_share_and_no_more_and_is_filled_as_a_walk_fills_it(
    windows: int, context: int, ratio: float, mean: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    ids = random.integers(0, 900, (windows, context), dtype=np.int32)
    spans = draw_spans(random, windows, context, Infilling(mask_ratio=ratio, mean_span=mean))
    compare(ids, spans)
    found = infill(ids, spans, MASK, PADDING)
    assert (found.hidden.sum(axis=1) == max(1, round(np.ceil(round(ratio * context, 6))))).all()
    assert found.read.shape[1] <= context
    masks, spans_there = (found.read == MASK).sum(axis=1), (spans.lengths >= 0).sum(axis=1)
    assert (masks == spans_there).all()
    assert (spans_there >= 1).all()
    for row in range(windows):  # what stays, stays in its order
        kept = [each for each in found.read[row].tolist() if each not in (MASK, PADDING)]
        assert kept == ids[row][~found.hidden[row]].tolist()


@pytest.mark.parametrize(
    ("window", "lengths", "before", "read", "hidden"),
    [
        ([], [], [], [], ""),
        ([], [0], [0], [MASK], ""),
        ([7], [1], [0], [MASK], "1"),
        ([7], [0, -1], [1, 5], [7, MASK], "0"),
        ([7], [0, 1, 0], [0, 0, 0], [MASK, MASK, MASK], "1"),
        ([1, 2, 3], [3], [0], [MASK], "111"),  # all of it
        ([1, 2, 3], [1, 1, 1], [0, 0, 0], [MASK, MASK, MASK], "111"),
        ([1, 2, 3, 4], [2, 0], [1, 1], [1, MASK, MASK, 4], "0110"),
        ([1, 2, 3, 4], [0, 2], [1, 1], [1, MASK, MASK, 4], "0110"),
        ([1, 2, 3, 4], [0, 2], [1, 2], [1, MASK, 2, MASK], "0011"),
        ([1, 2, 3, 4, 5], [0, 1, 1, 0], [0, 1, 2, 3], [MASK, 1, MASK, 3, MASK, 5, MASK], "01010"),
    ],
)
def test_windows_by_hand(window: list[int], lengths: list[int], before: list[int], read: list[int], hidden: str) -> None:
    ids = np.asarray([window], np.int32).reshape(1, len(window))
    spans = Spans(np.asarray([lengths], np.int64).reshape(1, -1), np.asarray([before], np.int64).reshape(1, -1))
    found = infill(ids, spans, MASK, PADDING)
    assert found.read.tolist() == [read]
    assert found.hidden.tolist() == [[each == "1" for each in hidden]]
    compare(ids, spans)


def test_shorter_rows_are_padded() -> None:
    spans = Spans(np.array([[3, -1], [1, 0]]), np.array([[0, 9], [1, 2]]))
    found = infill(np.array([[1, 2, 3, 4], [5, 6, 7, 8]], np.int32), spans, MASK, PADDING)
    assert found.read.tolist() == [[MASK, 4, PADDING, PADDING, PADDING], [5, MASK, 7, MASK, 8]]


def test_lengths_are_poisson_and_places_are_anywhere() -> None:
    """The first ten spans: of length 0 as often as Poisson has it. Tokens are hidden equally often but near the edges."""
    spans = draw_spans(np.random.default_rng(1), 4000, 256, Infilling())
    assert (np.where(spans.lengths > 0, spans.lengths, 0).sum(axis=1) == 77).all()
    lengths = spans.lengths[:, :10].ravel()  # before the last of a window, which is cut
    assert lengths.mean() == pytest.approx(3.0, abs=0.03)
    shares = np.bincount(lengths, minlength=4)[:4] / len(lengths)
    assert shares == pytest.approx(np.exp(-3) * np.array([1, 3, 4.5, 4.5]), abs=0.005)
    hidden = infill(np.zeros((4000, 256), np.int32), spans, MASK, PADDING).hidden.mean(axis=0)
    assert hidden[8:-8] == pytest.approx(np.full(240, 77 / 256), abs=0.04)
    assert hidden == pytest.approx(hidden[::-1], abs=0.06)


def test_draws_are_a_function_of_the_generator() -> None:
    one, other, third = (draw_spans(np.random.default_rng(seed), 3, 50, Infilling()) for seed in (5, 5, 6))
    assert one.lengths.tolist() == other.lengths.tolist()
    assert one.before.tolist() == other.before.tolist() != third.before.tolist()
