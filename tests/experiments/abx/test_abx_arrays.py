"""Scores kept as arrays: the very numbers that the query over the same files gives."""

from __future__ import annotations

import datetime as dt
import os
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats

from backend.errors import StoreError
from backend.experiments.abx import arrays as abx_arrays
from backend.experiments.abx import correlations as abx_correlations
from backend.experiments.abx import queries as abx_queries
from backend.metrics import permutation
from backend.metrics.correlation import pearson, spearman
from backend.store import scores
from backend.store.scores import SCORES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LANGUAGES = ["ar", "de", "en", "fr", "zh"]
METRICS = ("abx_language", "abx_meaning", "retrieval_top1")


def write(
    folder: Path, checkpoint: str, languages: Sequence[str], depth: int, seed: int, lost: float = 0.0, n: int = 9
) -> Path:
    """One shard of random scores in no order, each row left out with the probability `lost`; some without an interval."""
    random = np.random.default_rng(seed)
    common = {"run": "r", "experiment": "abx", "model": "m", "checkpoint": checkpoint, "step": None, "corpus": "c", "n": n}
    common |= {"variant": "exact/mean", "seed": None, "created_at": dt.datetime.now(dt.UTC)}
    rows = [
        common
        | {
            "metric": metric,
            "layer": layer,
            "source": a,
            "target": b,
            "value": v,
            "low": v - 0.1 if v else None,
            "high": v + 0.1,
        }
        for metric in METRICS
        for layer in range(depth + 1)
        for a, b in combinations(languages, 2)
        for v in [float(random.integers(0, 8)) / 7]
        if random.random() >= lost
    ]
    random.shuffle(rows)
    return scores.write(folder, "abx", f"shard-{checkpoint}-{seed}", pa.Table.from_pylist(rows, SCORES), {})


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Three models' worth: of other depths, of other languages, and one that lacks rows."""
    return [
        write(tmp_path, "one", LANGUAGES, 3, 1),
        write(tmp_path, "two", LANGUAGES, 3, 2, lost=0.4),
        write(tmp_path, "shallow", ["de", "en", "sw", "zh"], 1, 3),
    ]


@pytest.mark.parametrize("languages", [LANGUAGES, ["zh", "de"], ["de", "en", "sw"], ["ar", "sw"], ["tlh"]])
@pytest.mark.parametrize("layers", [[0, 1, 2, 3], [1], [3, 2], []])
def test_pair_means_are_the_querys(files: list[Path], languages: list[str], layers: list[int]) -> None:
    found = abx_arrays.pair_means(files, languages, ["one", "two", "shallow"], layers)
    table = {
        (checkpoint, *pair): (found.language[row, column], found.meaning[row, column])
        for row, checkpoint in enumerate(found.checkpoints)
        for column, pair in enumerate(found.pairs)
        if np.isfinite([found.language[row, column], found.meaning[row, column]]).any()
    }
    plain = abx_queries.pairs(files, languages, ["one", "two", "shallow"], layers)
    expected = {
        (row.checkpoint, row.source, row.target): (row.language, row.meaning)
        for row in plain.itertuples()
        if np.isfinite(np.array([row.language, row.meaning], float)).any()  # a pair may have retrieval alone
    }
    assert table.keys() == expected.keys()
    for key, values in expected.items():
        np.testing.assert_allclose(table[key], np.array(values, float), rtol=1e-12)


@pytest.mark.parametrize("languages", [LANGUAGES, ["zh", "de"], ["de", "en", "sw"], ["ar", "sw"], ["tlh"]])
@pytest.mark.parametrize("layers", [[0, 1, 2, 3], [1], [3, 2], []])
@pytest.mark.parametrize("pairs", [None, [("ar", "de"), ("en", "zh"), ("fr", "zh")]])
def test_means_by_language_are_the_querys(
    files: list[Path], languages: list[str], layers: list[int], pairs: list[tuple[str, str]] | None
) -> None:
    of = (files, languages, ["one", "two", "shallow", "absent"], layers)
    same(abx_arrays.by_language(*of, pairs=pairs), abx_queries.by_language(*of, pairs=pairs))
    assert abx_arrays.by_language([], *of[1:], pairs=pairs).empty


@pytest.mark.parametrize("languages", [LANGUAGES, ["zh", "de"], ["de", "en", "sw"], ["ar", "sw"], ["tlh"]])
@pytest.mark.parametrize("pairs", [None, [("ar", "de"), ("en", "zh"), ("fr", "zh")]])
def test_means_over_pairs_are_the_querys(files: list[Path], languages: list[str], pairs: list[tuple[str, str]] | None) -> None:
    of = (files, languages, ["one", "two", "absent"])
    same(abx_arrays.grid(*of, pairs=pairs), abx_queries.grid(*of, pairs=pairs))
    assert abx_arrays.grid([], *of[1:], pairs=pairs).empty


@pytest.mark.parametrize("languages", [LANGUAGES, ["zh", "de"], ["de", "en", "sw"], ["ar", "sw"], ["tlh"]])
@pytest.mark.parametrize("layers", [[0, 1, 2, 3], [1], [3, 2], [9]])
@pytest.mark.parametrize("pairs", [None, [("ar", "de"), ("en", "zh"), ("fr", "zh")]])
def test_scores_of_pairs_are_the_querys(
    files: list[Path], languages: list[str], layers: list[int], pairs: list[tuple[str, str]] | None
) -> None:
    of = (files, languages, ["one", "two", "shallow", "absent"], layers)
    found, expected = abx_arrays.pairs(*of, pairs=pairs), abx_queries.pairs(*of, pairs=pairs)
    if expected.empty:
        assert found.empty
        assert list(found) == list(expected)
    else:
        same(found, expected)
    assert abx_arrays.pairs([], *of[1:], pairs=pairs).empty


def same(found: pd.DataFrame, expected: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(found, expected, rtol=1e-12)


def test_a_checkpoint_in_two_files_has_the_rows_of_both(tmp_path: Path) -> None:
    of = ([write(tmp_path, "one", LANGUAGES, 1, 5), write(tmp_path, "one", LANGUAGES[1:], 2, 6, n=8)], LANGUAGES, ["one"])
    same(abx_arrays.by_language(*of, [0, 1, 2]), abx_queries.by_language(*of, [0, 1, 2]))
    same(abx_arrays.grid(*of), abx_queries.grid(*of))
    same(abx_arrays.pairs(*of, [0, 1, 2]), abx_queries.pairs(*of, [0, 1, 2]))


def test_a_file_that_is_gone_is_told(tmp_path: Path) -> None:
    of = ([tmp_path / "gone.parquet"], LANGUAGES, ["one"])
    for ask in (partial(abx_arrays.by_language, layers=[0]), partial(abx_arrays.pair_means, layers=[0]), abx_arrays.grid):
        with pytest.raises(StoreError, match=r"gone.*Reload"):
            ask(*of)


def test_only_the_checkpoints_asked_for(files: list[Path]) -> None:
    assert abx_arrays.pair_means(files, LANGUAGES, ["two", "absent"], [0]).checkpoints == ("two",)
    assert abx_arrays.pair_means([], LANGUAGES, ["two"], [0]).language.shape == (0, 0)
    assert abx_arrays.pair_means(files, LANGUAGES, ["one", "shallow"], [3]).checkpoints == ("one",)  # has no layer 3


def test_a_file_computed_again_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path, "one", LANGUAGES, 1, 5)
    before = abx_arrays.pair_means([path], LANGUAGES, ["one"], [0])
    again = write(tmp_path, "one", LANGUAGES, 1, 6)
    os.replace(again, path)
    os.utime(path, (1, 1))
    assert not np.array_equal(before.language, abx_arrays.pair_means([path], LANGUAGES, ["one"], [0]).language)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, "one", LANGUAGES, 1, 5)
    os.truncate(path, path.stat().st_size - 10)
    with pytest.raises(StoreError, match=path.name):
        abx_arrays.pair_means([path], LANGUAGES, ["one"], [0])


def test_correlations_over_checkpoints_are_each_checkpoints_own(files: list[Path]) -> None:
    checkpoints = ["one", "two", "shallow"]
    plain = abx_queries.pairs(files, LANGUAGES, checkpoints, [0, 1])
    one_by_one = {
        (checkpoint, name): statistic(group["language"].to_numpy(float), group["meaning"].to_numpy(float))
        for checkpoint, group in plain.groupby("checkpoint")
        for name, statistic in (("Spearman", spearman), ("Pearson", pearson))
    }
    for frame in (
        abx_correlations.over_checkpoints(plain),
        abx_correlations.of_means(abx_arrays.pair_means(files, LANGUAGES, checkpoints, [0, 1])),
    ):
        assert list(frame.columns) == ["checkpoint", "statistic", "value", "low", "high", "n", "p"]
        assert len(frame) == 6
        for row in frame.itertuples():
            alone = one_by_one[row.checkpoint, row.statistic]
            assert row.n == alone.n
            np.testing.assert_allclose([row.value, row.low, row.high], [alone.value, alone.low, alone.high], atol=1e-9)
            assert row.p == pytest.approx(p_by_loops(plain[plain["checkpoint"] == row.checkpoint], row.statistic))


def p_by_loops(rows: pd.DataFrame, statistic: str) -> float:
    """The share of renamed languages whose correlation is as far from 0, one renaming and pair at a time."""
    known = rows.dropna(subset=["language", "meaning"])
    values = {frozenset((r.source, r.target)): (r.language, r.meaning) for r in known.itertuples()}
    names = sorted({tag for pair in values for tag in pair})
    given, _ = permutation.orders(len(names), permutation.MANY)
    found = []
    for order in given:
        renamed = {name: names[place] for name, place in zip(names, order, strict=True)}
        both = [(values[frozenset(renamed[tag] for tag in pair)][0], own[1]) for pair, own in values.items()]
        correlated = stats.spearmanr if statistic == "Spearman" else stats.pearsonr
        found.append(abs(correlated(*zip(*both, strict=True)).statistic))
    return float(np.mean([each >= found[0] - 1e-9 for each in found]))


def test_no_pairs_have_no_correlations() -> None:
    empty = abx_correlations.over_checkpoints(abx_queries.pairs([], LANGUAGES, ["one"], [0]))
    assert empty.empty
    assert list(empty.columns) == ["checkpoint", "statistic", "value", "low", "high", "n", "p"]
    assert abx_correlations.of_means(abx_arrays.pair_means([], LANGUAGES, ["one"], [0])).empty
