"""Means of ABX scores where rows are missing: those of the rows that there are, by pandas over the files."""

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

from isogloss.backend.errors import StoreError
from isogloss.backend.experiments.abx import correlations as abx_correlations
from isogloss.backend.experiments.abx import queries as abx_queries
from isogloss.backend.experiments.abx.pair_means import pair_means
from isogloss.backend.metrics.correlation import pearson, spearman
from isogloss.backend.metrics.orders import MANY, orders
from isogloss.backend.store import older, scores
from isogloss.backend.store.scores import SCORES

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
    return scores.write(folder, "abx", f"shard-{checkpoint}-{seed}", pa.Table.from_pylist(rows, SCORES), older.TODAY)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Three models' worth: of other depths, of other languages, and one that lacks rows."""
    return [
        write(tmp_path, "one", LANGUAGES, 3, 1),
        write(tmp_path, "two", LANGUAGES, 3, 2, lost=0.4),
        write(tmp_path, "shallow", ["de", "en", "sw", "zh"], 1, 3),
    ]


def stored(files: Sequence[Path], languages: Sequence[str], pairs: Sequence[tuple[str, str]] | None) -> pd.DataFrame:
    """The rows of the pairs chosen, as the files have them."""
    rows = pd.concat([pa.parquet.read_table(path).to_pandas() for path in files])
    chosen = [
        {a, b} <= set(languages) and (pairs is None or (a, b) in pairs)
        for a, b in zip(rows["source"], rows["target"], strict=True)
    ]
    return rows[chosen]


def check(found: pd.DataFrame, rows: pd.DataFrame, by: list[str], ends: dict[str, str] | None = None) -> None:
    """The rows are the means of what is stored, by pandas: what is missing is not counted."""
    groups = rows.groupby(by)
    expected = groups[["value", "low", "high"]].mean().assign(pairs=groups.size())
    expected = expected.assign(**{name: groups[name].agg(end) for name, end in (ends or {}).items()}).reset_index()
    pd.testing.assert_frame_equal(found, expected[list(found)], rtol=1e-12, check_dtype=False)


@pytest.mark.parametrize("languages", [LANGUAGES, ["zh", "de"], ["de", "en", "sw"], ["ar", "sw"], ["tlh"]])
@pytest.mark.parametrize("layers", [[0, 1, 2, 3], [1], [3, 2], []])
@pytest.mark.parametrize("pairs", [None, [("ar", "de"), ("en", "zh"), ("fr", "zh")]])
def test_means_are_of_the_rows_that_there_are(
    files: list[Path], languages: list[str], layers: list[int], pairs: list[tuple[str, str]] | None
) -> None:
    of = (files, languages, ["one", "two", "shallow", "absent"])
    rows = stored(files, languages, pairs)
    check(abx_queries.grid(*of, pairs=pairs), rows, ["metric", "checkpoint", "layer"], {"n": "min"})
    ends = pd.concat([rows.assign(language=rows["source"]), rows.assign(language=rows["target"])])
    check(abx_queries.by_language_and_layer(*of, pairs=pairs), ends, ["metric", "checkpoint", "layer", "language"])
    among = ends[ends["layer"].isin(layers)]
    check(abx_queries.by_language(*of, layers, pairs=pairs), among, ["metric", "checkpoint", "language"])


@pytest.mark.parametrize("languages", [LANGUAGES, ["de", "en", "sw"], ["ar", "sw"], ["tlh"]])
@pytest.mark.parametrize("layers", [[0, 1, 2, 3], [1], [9]])
@pytest.mark.parametrize("pairs", [None, [("ar", "de"), ("en", "zh"), ("fr", "zh")]])
def test_pairs_are_means_over_the_layers_that_there_are(
    files: list[Path], languages: list[str], layers: list[int], pairs: list[tuple[str, str]] | None
) -> None:
    of = (files, languages, ["one", "two", "shallow", "absent"], layers)
    rows = stored(files, languages, pairs)
    rows = rows[rows["layer"].isin(layers)]
    found = abx_queries.pairs(*of, pairs=pairs)
    groups = rows.groupby(["checkpoint", "source", "target", "metric"])[["value", "low", "high"]].mean()
    assert set(zip(found["checkpoint"], found["source"], found["target"], strict=True)) == {
        key[:3] for key in groups.index.tolist()
    }
    for row in found.to_dict("records"):
        for name, metric in abx_queries.SCORES.items():
            key = (row["checkpoint"], row["source"], row["target"], metric)
            expected = groups.loc[key] if key in groups.index else dict.fromkeys(("value", "low", "high"), np.nan)
            np.testing.assert_allclose(row[name], expected["value"])
            if name in abx_queries.BOUNDED:
                np.testing.assert_allclose([row[f"{name}_low"], row[f"{name}_high"]], [expected["low"], expected["high"]])
    for each in (each for path in files for each in pair_means(path, of[2], layers)):
        means = each.among(tuple(languages), None if pairs is None else tuple(pairs))
        wide = found[found["checkpoint"] == means.checkpoint].set_index(["source", "target"]).reindex(list(means.pairs))
        np.testing.assert_allclose(means.language, wide["language"].to_numpy(float))
        np.testing.assert_allclose(means.meaning, wide["meaning"].to_numpy(float))


def test_a_checkpoint_in_two_files_has_the_rows_of_both(tmp_path: Path) -> None:
    files = [write(tmp_path, "one", LANGUAGES, 1, 5), write(tmp_path, "one", LANGUAGES[1:], 2, 6, n=8)]
    rows = stored(files, LANGUAGES, None)
    check(abx_queries.grid(files, LANGUAGES, ["one"]), rows, ["metric", "checkpoint", "layer"], {"n": "min"})
    found = abx_queries.pairs(files, LANGUAGES, ["one"], [0, 1, 2])
    language = rows[rows["metric"] == "abx_language"].groupby(["source", "target"])["value"].mean()
    np.testing.assert_allclose(found["language"], language)


def test_a_file_that_is_gone_is_told(tmp_path: Path) -> None:
    of = ([tmp_path / "gone.parquet"], LANGUAGES, ["one"])
    for ask in (
        partial(abx_queries.by_language, layers=[0]),
        partial(abx_correlations.of_files, layers=[0]),
        abx_queries.grid,
    ):
        with pytest.raises(StoreError, match=r"gone.*Reload"):
            ask(*of)


def test_only_the_checkpoints_asked_for(files: list[Path]) -> None:
    def read(*asked: object) -> list[str]:
        return [each.checkpoint for path in files for each in pair_means(path, *asked)]

    assert read(["two", "absent"], [0]) == ["two"]
    assert read(["one", "shallow"], [3]) == ["one"]  # has no layer 3


def test_a_file_computed_again_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path, "one", LANGUAGES, 1, 5)
    (before,) = pair_means(path, ["one"], [0])
    again = write(tmp_path, "one", LANGUAGES, 1, 6)
    os.replace(again, path)
    os.utime(path, (1, 1))
    assert not np.array_equal(before.language, pair_means(path, ["one"], [0])[0].language)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, "one", LANGUAGES, 1, 5)
    os.truncate(path, path.stat().st_size - 10)
    with pytest.raises(StoreError, match=path.name):
        pair_means(path, ["one"], [0])


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
        abx_correlations.of_files(files, LANGUAGES, checkpoints, [0, 1]),
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
    given, _ = orders(len(names), MANY)
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
    assert abx_correlations.of_files([], LANGUAGES, ["one"], [0]).empty
