"""Topographic similarity and disentanglement of messages with meanings, against plain loops and cases known by hand."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from isogloss.backend.metrics.corpus import compositionality as module
from isogloss.backend.metrics.corpus.compositionality import Paired, disentangled, sample, topographic
from isogloss.backend.metrics.corpus.disentanglement import bags, disentanglement, positions

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence


def paired(messages: Sequence[Sequence[int]], meanings: Sequence[Sequence[int]], *, numbers: bool = False) -> Paired:
    values = np.array(meanings, np.int64).reshape(len(messages), -1)
    ids = np.array([symbol for message in messages for symbol in message], np.int64)
    return Paired(ids, np.cumsum([0, *map(len, messages)]), values, values.astype(float) if numbers else None)


def entropy(values: Sequence[Hashable]) -> float:
    return -sum(n / len(values) * math.log(n / len(values)) for n in Counter(values).values())


def slow(states: Sequence[Sequence[Hashable]], meanings: Sequence[Sequence[int]]) -> float:
    """By the definition; `states` of each variable by message."""
    gaps = []
    for state in states:
        if len(set(state)) < 2:
            continue
        known = [
            entropy(state) + entropy(column) - entropy(list(zip(state, column, strict=True)))
            for column in zip(*meanings, strict=True)
        ]
        first, second = sorted(known, reverse=True)[:2]
        gaps.append((first - second) / entropy(state))
    return sum(gaps) / len(gaps) if gaps else math.nan


def at_places(messages: Sequence[Sequence[int]]) -> list[list[int | None]]:
    return [[m[i] if i < len(m) else None for m in messages] for i in range(max(map(len, messages)))]


def in_bags(messages: Sequence[Sequence[int]]) -> list[list[int]]:
    return [[list(m).count(symbol) for m in messages] for symbol in {each for m in messages for each in m}]


MESSAGES = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=5), min_size=1, max_size=12)


@given(MESSAGES, st.integers(2, 3), st.integers(1, 4), st.integers(0, 99), st.booleans())
@settings(max_examples=150)
def test_disentanglement_is_its_definition(
    messages: list[list[int]], attributes: int, values: int, seed: int, by_sorting: bool
) -> None:
    random = np.random.default_rng(seed)
    meanings = random.integers(0, values, (len(messages), attributes))
    given_ = paired(messages, meanings.tolist())
    kept = random.random(len(messages)) < 0.7
    rest = [message for message, keep in zip(messages, kept, strict=True) if keep]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("isogloss.backend.metrics.corpus.disentanglement.TABLE", 0 if by_sorting else 1 << 20)
        for entries, states in ((positions, at_places), (bags, in_bags)):
            found = disentanglement(entries(given_.ids, given_.starts), given_.values)
            assert found == pytest.approx(slow(states(messages), meanings.tolist()), abs=1e-9, nan_ok=True)
            some = disentanglement(entries(given_.ids, given_.starts), given_.values, kept)
            wanted = slow(states(rest), meanings[kept].tolist()) if rest else math.nan
            assert some == pytest.approx(wanted, abs=1e-9, nan_ok=True)


@given(
    st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=5), min_size=2, max_size=10),
    st.integers(0, 99),
    st.sampled_from(["hamming", "euclidean", "cosine"]),
    st.booleans(),
)
@settings(max_examples=120)
def test_topographic_similarity_is_spearmans_correlation_over_pairs(
    messages: list[list[int]], seed: int, distance: str, normalised: bool
) -> None:
    meanings = np.random.default_rng(seed).integers(-2, 3, (len(messages), 3))
    pairs = [(i, j) for i, j in combinations(range(len(messages)), 2) if (meanings[i] != meanings[j]).any()]
    apart = [round(far(meanings[i].tolist(), meanings[j].tolist(), distance), 9) for i, j in pairs]
    edits = [
        levenshtein(messages[i], messages[j]) / (max(len(messages[i]), len(messages[j])) if normalised else 1) for i, j in pairs
    ]
    found = topographic(paired(messages, meanings.tolist(), numbers=True), distance, normalised=normalised)  # type: ignore[arg-type]
    if len(set(apart)) < 2 or len(set(edits)) < 2:
        assert math.isnan(found.value)
        assert math.isnan(found.p)
    else:
        assert found.value == pytest.approx(float(spearmanr(apart, edits).statistic), abs=1e-9)
        assert 1 / (module.PERMUTATIONS + 1) <= found.p <= 1


def far(one: list[int], other: list[int], distance: str) -> float:
    if distance == "hamming":
        return sum(a != b for a, b in zip(one, other, strict=True))
    if distance == "euclidean":
        return math.dist(one, other)
    if not any(one) or not any(other):
        return float(any(one) or any(other))
    return 1 - sum(a * b for a, b in zip(one, other, strict=True)) / math.hypot(*one) / math.hypot(*other)


def levenshtein(one: Sequence[int], other: Sequence[int]) -> int:
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, row = row, [i]
        for j, b in enumerate(other, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b)))
    return row[-1]


def test_a_jackknife_leaves_out_messages_and_says_how_far_the_numbers_may_be() -> None:
    random = np.random.default_rng(3)
    meanings = np.array([[a, b] for a in range(3) for b in range(3)])
    messages = [[int(a), int(b), int(random.integers(4))] for a, b in meanings]
    found = topographic(paired(messages, meanings.tolist()))
    left = []
    for out in range(9):  # fewer messages than groups: one is left out at a time
        pairs = [(i, j) for i, j in combinations(range(9), 2) if out not in (i, j)]
        apart = [far(meanings[i].tolist(), meanings[j].tolist(), "hamming") for i, j in pairs]
        left.append(spearmanr(apart, [levenshtein(messages[i], messages[j]) for i, j in pairs]).statistic)
    error = math.sqrt(8 / 9 * np.square(np.array(left) - np.mean(left)).sum())
    assert found.low == pytest.approx(max(-1.0, found.value - 2.3060041 * error))
    assert found.high == pytest.approx(min(1.0, found.value + 2.3060041 * error))


def test_a_compositional_language_has_all_and_a_random_one_no_more_than_chance() -> None:
    meanings = [list(each) for each in product(range(3), repeat=3)]
    said = paired([[a, 10 + b, 20 + c] for a, b, c in meanings], meanings)
    for found in (topographic(said), disentangled(said, "positions"), disentangled(said, "symbols")):
        assert found.value == pytest.approx(1)
        assert found.p == 0.01
        assert found.chance < 0.3
        assert found.n == 27
    order = np.random.default_rng(0).permutation(27)
    mixed = Paired(said.ids, said.starts, said.values[order])
    for found in (topographic(mixed), disentangled(mixed, "positions"), disentangled(mixed, "symbols")):
        assert found.p > 0.05
        assert found.low <= found.value <= found.high
    free = paired(
        [list(np.random.default_rng(i).permutation([a, 10 + b, 20 + c])) for i, (a, b, c) in enumerate(meanings)], meanings
    )
    assert disentangled(free, "symbols").value == pytest.approx(1)  # symbols tell, wherever they stand
    assert disentangled(free, "positions").value < 0.5


def test_a_language_without_parts_is_no_more_than_chance_however_often_it_says_the_same() -> None:
    random = np.random.default_rng(0)
    meanings = [list(each) for each in product(range(4), range(4), range(3))]
    words = [random.integers(0, 6, 4).tolist() for _ in meanings]
    said = random.integers(0, len(meanings), 600)
    often = paired([words[i] for i in said], [meanings[i] for i in said])
    for found in (topographic(often), disentangled(often, "positions"), disentangled(often, "symbols")):
        assert found.p > 0.05
        assert found.low <= found.value <= found.high
        assert found.value == pytest.approx(found.chance, abs=0.1)


@pytest.mark.parametrize(
    ("messages", "meanings"),
    [
        ([[1, 2]], [[0, 1]]),
        ([[1], [1], [1]], [[0, 1], [1, 1], [2, 0]]),
        ([[1], [2], [3]], [[4, 4]] * 3),
        ([[1], [2]], [[0], [1]]),
    ],
    ids=["one message", "constant messages", "constant meanings", "one attribute"],
)
def test_what_is_not_defined_is_nan_or_nought(messages: list[list[int]], meanings: list[list[int]]) -> None:
    given_ = paired(messages, meanings)
    assert math.isnan(topographic(given_).value)
    for of in ("positions", "symbols"):
        found = disentangled(given_, of)  # type: ignore[arg-type]
        assert math.isnan(found.value) or found.value == 0
    with pytest.raises(ValueError, match="all their attributes are numbers"):
        topographic(paired([[1], [2]], [[0], [1]]), "euclidean")


def test_a_sample_keeps_messages_with_their_meanings_and_no_more_than_their_first_symbols() -> None:
    count = module.MOST + 7
    lengths = [module.LONGEST + 5] + [2] * (count - 1)
    messages = [[i] * length for i, length in enumerate(lengths)]
    drawn = sample(paired(messages, [[i, -i] for i in range(count)]), 1)
    assert len(drawn) == module.MOST
    assert np.diff(drawn.starts).max() <= module.LONGEST
    assert (drawn.ids[drawn.starts[:-1]] == drawn.values[:, 0]).all()
    assert len(set(drawn.values[:, 0].tolist())) == module.MOST
    short = sample(paired([[i, i] for i in range(count)], [[i, -i] for i in range(count)]), 1)
    assert topographic(short).n == module.MOST_PAIRED
    assert topographic(paired([[1, 2] * 128] * 300, [[i] for i in range(300)])).n == 174  # fewer of long ones
    wide = sample(paired([[1] * 256] * 500, [[i, *[0] * 99] for i in range(500)]), 0)
    assert np.diff(wide.starts).sum() * 100 <= module.MOST_COUNTED
