"""Choosing checkpoints and sources against a few lines of pandas and loops, on random, tied, missing and tiny input."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from isogloss.backend.metrics.selection import choose_checkpoints, choose_sources


def tables(seed: int, rows: int, columns: int, *, missing: float = 0.0, rounded: bool = False):
    random = np.random.default_rng(seed)
    guide, outcome = random.random((2, rows, columns))
    if rounded:
        guide, outcome = guide.round(1), outcome.round(1)
    guide[random.random(guide.shape) < missing] = np.nan
    outcome[random.random(guide.shape) < missing] = np.nan
    return guide, outcome


CASES = [
    (seed, rows, columns, missing, rounded)
    for seed in range(6)
    for rows, columns in ((1, 1), (1, 5), (5, 2), (12, 9), (9, 9))
    for missing, rounded in ((0.0, False), (0.0, True), (0.3, False), (0.3, True))
]


@pytest.mark.parametrize(("seed", "languages", "checkpoints", "missing", "rounded"), CASES)
def test_checkpoints_are_those_of_pandas(seed, languages, checkpoints, missing, rounded) -> None:
    guide, outcome = tables(seed, languages, checkpoints, missing=missing, rounded=rounded)
    frame = pd.DataFrame(
        [(i, j, guide[i, j], outcome[i, j]) for i in range(languages) for j in range(checkpoints)],
        columns=["language", "checkpoint", "ld", "accuracy"],
    ).dropna()
    deltas = {}
    for language, rows in frame.groupby("language"):
        rows = rows.set_index("checkpoint")
        if len(rows) < 2 or checkpoints - 1 not in rows.index:
            continue
        best = rows["accuracy"].max()
        picked = rows["ld"].idxmin()
        deltas[language] = (picked, best - rows["accuracy"][picked], best - rows["accuracy"][checkpoints - 1])
    found = choose_checkpoints(guide, outcome)
    assert found.languages == len(deltas)
    assert {i for i in range(languages) if found.chosen[i] >= 0} == set(deltas)
    for language, (picked, chosen, last) in deltas.items():
        assert found.chosen[language] == picked
        assert found.gap_chosen[language] == pytest.approx(chosen)
        assert found.gap_last[language] == pytest.approx(last)
        assert outcome[language, found.best[language]] == np.nanmax(
            np.where(np.isnan(guide[language]), np.nan, outcome[language])
        )
    delta = np.array([last - chosen for _, chosen, last in deltas.values()])
    assert found.nearer == (delta > 0).sum()
    assert found.same == (delta == 0).sum()
    assert found.mean == pytest.approx(delta.mean() if len(delta) else math.nan, nan_ok=True)
    assert found.deviation == pytest.approx(pd.Series(delta).std(), nan_ok=True)
    if (delta != 0).any():
        moved = delta[delta != 0]
        assert found.p == pytest.approx(stats.wilcoxon(moved).pvalue)
        assert found.is_least == (found.p < stats.wilcoxon(np.abs(moved)).pvalue + 1e-12)
    else:
        assert not found.is_least
        assert math.isnan(found.p)


@pytest.mark.parametrize(("seed", "sources", "targets", "missing", "rounded"), CASES)
def test_sources_are_those_of_a_loop(seed, sources, targets, missing, rounded) -> None:
    guide, outcome = tables(seed, sources, targets, missing=missing, rounded=rounded)
    found = choose_sources(guide, outcome)
    ranks = {}
    for target in range(targets):
        candidates = [
            source
            for source in range(sources)
            if source != target and not math.isnan(guide[source, target]) and not math.isnan(outcome[source, target])
        ]
        if len(candidates) < 2:
            assert found.chosen[target] == -1
            assert math.isnan(found.wins[target])
            continue
        picked = min(candidates, key=lambda source: (guide[source, target], source))
        others = [outcome[source, target] for source in candidates if source != picked]
        own = outcome[picked, target]
        ranks[target] = 1 + sum(other > own for other in others)
        assert found.chosen[target] == picked
        assert found.sources[target] == len(candidates)
        assert found.rank[target] == ranks[target]
        assert found.wins[target] == pytest.approx(sum(other < own for other in others) / len(others))
        assert found.ties[target] == pytest.approx(sum(other == own for other in others) / len(others))
    assert found.targets == len(ranks)
    assert found.is_best == sum(rank == 1 for rank in ranks.values())
    assert found.among_best == sum(rank <= 3 for rank in ranks.values())
    wins = pd.Series([found.wins[target] for target in ranks], dtype=float)
    assert (found.mean, found.deviation) == (pytest.approx(wins.mean(), nan_ok=True), pytest.approx(wins.std(), nan_ok=True))


def test_a_perfect_guide_and_its_reverse() -> None:
    outcome = np.random.default_rng(0).random((8, 8))
    perfect = choose_sources(-outcome, outcome)
    assert (perfect.is_best, perfect.mean) == (8, 1.0)
    assert (perfect.random_wins == 1.0).all()
    worst = choose_sources(-outcome, outcome, choose="highest")
    assert (worst.is_best, worst.mean) == (0, 0.0)
    assert choose_sources(outcome, outcome, better="lower").is_best == 8
    checkpoints = choose_checkpoints(-outcome, outcome)
    assert (checkpoints.gap_chosen == 0).all()
    assert choose_checkpoints(outcome, outcome, choose="highest", better="higher").mean == checkpoints.mean


def test_a_hundred_random_sources_are_near_the_exact_share_and_seeded() -> None:
    guide, outcome = tables(1, 18, 18)
    found = choose_sources(guide, outcome)
    assert np.nanmax(np.abs(found.random_wins - found.wins)) < 0.2
    assert abs(np.nanmean(found.random_wins) - found.mean) < 0.04
    assert (choose_sources(guide, outcome).random_wins == found.random_wins).all()
    assert (choose_sources(guide, outcome, seed=1).random_wins != found.random_wins).any()
    shares = found.random_wins[found.chosen >= 0]
    assert (found.random_mean, found.random_deviation) == pytest.approx((np.mean(shares), np.std(shares, ddof=1)))
    many = choose_sources(guide, outcome, draws=100_000)
    assert many.random_wins == pytest.approx(found.wins, abs=0.01)


def test_a_random_guide_beats_half_of_the_others() -> None:
    means = [choose_sources(*tables(seed, 18, 18)).mean for seed in range(60)]
    assert np.mean(means) == pytest.approx(0.5, abs=0.03)


def test_a_language_whose_chosen_checkpoint_is_the_last_moves_nothing() -> None:
    guide, outcome = [[3.0, 2.0, 1.0], [1.0, 2.0, 3.0]], [[0.9, 0.5, 0.6], [0.8, 0.1, 0.3]]
    found = choose_checkpoints(guide, outcome)
    assert found.chosen.tolist() == [2, 0]
    assert found.delta.tolist() == [0.0, 0.5]
    assert (found.languages, found.nearer, found.same) == (2, 1, 1)
    assert found.gap_last == pytest.approx([0.3, 0.5])


@pytest.mark.parametrize("choose", [choose_checkpoints, choose_sources])
def test_nothing_is_no_choice_and_shapes_that_differ_are_an_error(choose) -> None:
    for shape in ((0, 0), (3, 0), (0, 3)):
        assert math.isnan(choose(np.zeros(shape), np.zeros(shape)).mean)
    assert math.isnan(choose(np.full((4, 4), np.nan), np.ones((4, 4))).mean)
    with pytest.raises(ValueError, match="two tables of one shape"):
        choose(np.zeros((2, 3)), np.zeros((3, 2)))
