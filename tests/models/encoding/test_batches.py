from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from backend.models.encoding.batches import batches, split, tokens_with_padding

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
