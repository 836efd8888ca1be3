"""How many rows differ in their label between languages: as the obvious count of every pair in every row."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.corpora.tasks.checks import Row, _differences

if TYPE_CHECKING:
    from isogloss.backend.corpora.tasks.checks import Rows


@pytest.mark.parametrize("seed", range(30))
def test_they_are_counted_as_one_would_by_hand(seed: int) -> None:
    rng = random.Random(seed)
    tags, ids = rng.sample("abcdefg", rng.randint(1, 5)), [str(i) for i in range(rng.randint(1, 6))]
    labels = "xyz"[: rng.randint(1, 3)]

    def rows() -> Rows:
        return {
            tag: {i: Row([], None, 0, rng.choice(labels), "f", 1, True, True) for i in rng.sample(ids, len(ids))}
            for tag in tags
        }

    kept, notes = {"train": rows(), "validation": rows()}, list[str]()
    pairs = Counter(
        (a, b)
        for own in kept.values()
        for i in ids
        for a, b in combinations(sorted(tags), 2)
        if own[a][i].label != own[b][i].label
    )
    total = sum(len({own[tag][i].label for tag in tags}) > 1 for own in kept.values() for i in ids)
    assert _differences(kept, notes) == total
    assert bool(notes) == bool(total)
    if total:
        (a, b), most = min(pairs.items(), key=lambda pair: (-pair[1], pair[0]))
        assert f"{total} rows have another label in another language ({most} between {a} and {b})" in notes[0]
