from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.models.encoding.batches import LEAST, batches, split, tokens_with_padding

LENGTHS = st.lists(st.integers(1, 60), max_size=40)


@given(LENGTHS, st.integers(1, 300), st.booleans())
def test_every_row_once_and_within_the_budget(lengths: list[int], budget: int, sort: bool) -> None:
    groups = batches(lengths, budget, sort=sort)
    assert sorted(row for group in groups for row in group) == list(range(len(lengths)))
    assert all(tokens_with_padding(group, lengths) <= budget or len(group) == 1 for group in groups)


@given(st.lists(st.integers(1, 60), min_size=1, max_size=40), st.integers(1, 300))
def test_splitting_keeps_every_row(lengths: list[int], limit: int) -> None:
    parts = split(list(range(len(lengths))), lengths, limit)
    assert [row for part in parts for row in part] == list(range(len(lengths)))
    assert all(tokens_with_padding(part, lengths) <= limit or len(part) == 1 for part in parts)


def test_sorting_saves_padding() -> None:
    lengths = [5, 50] * 100
    sizes = {
        sort: sum(tokens_with_padding(group, lengths) for group in batches(lengths, 200, sort=sort)) for sort in (True, False)
    }
    assert sizes[True] < 0.65 * sizes[False]


@given(st.lists(st.integers(1, 500), min_size=1, max_size=300), st.integers(1000, 60_000), st.floats(1.0, 2.0))
def test_no_batch_is_mostly_padding(lengths: list[int], budget: int, padded: float) -> None:
    groups = batches(lengths, budget, padded=padded)
    assert sorted(row for group in groups for row in group) == list(range(len(lengths)))
    for group in groups:
        whole = tokens_with_padding(group, lengths)
        assert whole <= max(LEAST, padded * sum(lengths[row] for row in group)) or len(group) == 1
        assert whole <= budget or len(group) == 1


def test_a_corpus_is_not_padded_to_its_longest_sentence() -> None:
    lengths = [200, *[20] * 2000]
    whole = [
        sum(tokens_with_padding(group, lengths) for group in batches(lengths, 50_000, padded=most)) for most in (None, 1.2)
    ]
    assert whole[0] > 2 * sum(lengths)
    assert whole[1] < 1.2 * sum(lengths)
