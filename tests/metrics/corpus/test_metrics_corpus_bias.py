"""The bias of plug-in entropies: its correction against entropies that are known, and where the page says to trust them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from isogloss.backend.experiments.emergent import frames
from isogloss.backend.experiments.emergent import statistics as emergent_statistics
from isogloss.backend.metrics.corpus.bias import ENOUGH, is_enough, longest_trusted, miller_madow
from isogloss.backend.metrics.corpus.codes import entropy_bits
from tests.corpora.emergent.utterances import from_utterances


def drawn(shares: np.ndarray, size: int, seed: int) -> np.ndarray:
    """How often each thing that occurs was drawn."""
    counts = np.random.default_rng(seed).multinomial(size, shares)
    return counts[counts > 0]


@pytest.mark.parametrize("types", [2, 30, 700, 20_000])
@pytest.mark.parametrize("each", [ENOUGH, 20])
def test_the_correction_takes_the_bias_away_where_there_is_enough(types: int, each: int) -> None:
    size, shares = types * each * 21 // 20, np.full(types, 1 / types)
    plug_in, corrected = [], []
    for seed in range(400 if types < 100 else 20 if types < 10_000 else 2):
        counts = drawn(shares, size, seed)
        assert is_enough(len(counts), size)
        plug_in.append(entropy_bits(counts))
        corrected.append(plug_in[-1] + miller_madow(len(counts), size))
    assert np.mean(corrected) == pytest.approx(math.log2(types), abs=0.02)
    if types > 2:
        assert math.log2(types) - np.mean(plug_in) > 3 * abs(math.log2(types) - np.mean(corrected))


def test_with_less_it_is_still_too_low() -> None:
    """Why the page names the orders: bigrams of 256 symbols, of which there are 65,536, in 6,000 tokens."""
    counts = drawn(np.full(65_536, 1 / 65_536), 6000, 0)
    assert not is_enough(len(counts), 6000)
    assert entropy_bits(counts) < entropy_bits(counts) + miller_madow(len(counts), 6000) < 16 - 2


def test_nothing_observed_has_no_correction() -> None:
    assert math.isnan(miller_madow(0, 0))
    assert miller_madow(1, 9) == 0
    assert not is_enough(0, 4)
    assert is_enough(0, 5)


@pytest.mark.parametrize(("types", "utterances"), [(1, [3, 1]), (40, [5000, 4000, 300, 200, 4]), (40, [2]), (9, [])])
def test_positions_are_trusted_while_the_bias_can_only_be_small(types: int, utterances: list[int]) -> None:
    slow = 0
    while slow < len(utterances):
        most = min(types, utterances[slow])
        if (most - 1) / (2 * utterances[slow] * math.log(2)) > 0.1:
            break
        slow += 1
    assert longest_trusted(types, utterances) == slow


def test_entropies_stand_beside_their_correction() -> None:
    """Uniform text: 3 bits per symbol whatever is known before. The plug-in estimate loses that by the fourth symbol."""
    rows = np.random.default_rng(1).integers(0, 8, (900, 5)).tolist()
    rows += [[3]]  # without a bigram
    found = frames.entropies({"a": emergent_statistics.compute(from_utterances(rows))})
    by_order = found.set_index("order")
    for order, row in by_order.iterrows():
        windows = [tuple(own[at : at + order]) for own in rows for at in range(len(own) - order + 1)]
        assert (row["windows"], row["distinct"]) == (len(windows), len(set(windows)))
        added = (len(set(windows)) - 1) / (2 * len(windows) * math.log(2))
        assert row["entropy_corrected"] == pytest.approx(min(row["entropy"] + added, 3 * order))
        assert row["conditional"] <= row["conditional_corrected"] <= 3
        assert row["enough"] == (len(windows) >= 5 * len(set(windows)))
    assert by_order["enough"].tolist() == [True, True, True, False]
    assert by_order.loc[[1, 2, 3], "conditional_corrected"].tolist() == pytest.approx([3] * 3, abs=0.03)
    assert by_order.loc[3, "conditional"] < 2.9
    assert by_order.loc[4, "conditional_corrected"] < 2.9
    nothing = frames.entropies({"a": emergent_statistics.compute(from_utterances([[0]]))})
    assert nothing["conditional_corrected"].isna().tolist() == [False, True, True, True]
