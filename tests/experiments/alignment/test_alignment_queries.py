"""The alignment figures' aggregations against pandas, on rows whose runs, pairs and files overlap."""

from __future__ import annotations

import datetime as dt
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.stats import t as student

from isogloss.backend.experiments.alignment import queries as alignment_queries
from isogloss.backend.store import scores
from isogloss.backend.store.scores import SCORES

METRICS, VARIANT = ["word_weak", "word_strong"], "word/csls10/5000 pairs"


def shard(workspace: Path, name: str, checkpoint: str, pairs: list[tuple[str, str]], runs: int, seed: int) -> pd.DataFrame:
    """A file with a row a metric, layer, directed pair and run."""
    generator = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    for metric, layer, pair, run in itertools.product([*METRICS, "other"], (0, 1), pairs, range(runs)):
        for source, target in (pair, pair[::-1]):
            value = float(generator.random())
            low, high = (value - 0.1, value + 0.1) if runs == 1 else (np.nan, np.nan)
            rows.append(
                {
                    "run": name,
                    "experiment": "alignment",
                    "metric": metric,
                    "model": "m",
                    "checkpoint": checkpoint,
                    "layer": layer,
                    "source": source,
                    "target": target,
                    "variant": VARIANT,
                    "seed": run,
                    "value": value,
                    "low": low,
                    "high": high,
                    "n": int(generator.integers(10, 99)),
                    "created_at": dt.datetime.now(dt.UTC),
                }
            )
    scores.write(workspace, "alignment", name, pa.Table.from_pylist(rows, schema=SCORES), {})
    return pd.DataFrame(rows)


@pytest.mark.parametrize("runs", [1, 4])
def test_pairs_and_their_mean_are_those_of_pandas(tmp_path: Path, runs: int) -> None:
    first = shard(tmp_path, "aaaa", "c1", [("de", "en"), ("en", "ru")], runs, 1)
    shard(tmp_path, "bbbb", "c1", [("de", "en")], runs, 2)  # the same pair again, by another dictionary: not asked for
    third = shard(tmp_path, "cccc", "c2", [("de", "en"), ("en", "ru")], runs, 3)
    files = [scores.shard_path(tmp_path, "alignment", name) for name in ("aaaa", "bbbb", "cccc")]
    wanted = [(run, *ends) for run in ("aaaa", "cccc") for ends in (("de", "en"), ("en", "de"), ("en", "ru"))]
    rows = pd.concat([first, third])
    rows = rows[rows["metric"].isin(METRICS) & ~((rows["source"] == "ru") & (rows["target"] == "en"))]

    found = alignment_queries.pairs(files, wanted, METRICS, [VARIANT], runs)
    assert len(found) == 2 * 2 * 2 * 3
    for _, row in found.iterrows():
        same = rows[
            np.logical_and.reduce([rows[key] == row[key] for key in ("metric", "checkpoint", "layer", "source", "target")])
        ]
        assert row["runs"] == len(same) == runs
        assert row["value"] == pytest.approx(same["value"].mean())
        assert row["n"] == same["n"].min()
        if runs == 1:
            assert np.isnan(row["deviation"])
            assert (row["low"], row["high"]) == (same["low"].iloc[0], same["high"].iloc[0])
        else:
            half = student.ppf(0.975, runs - 1) * same["value"].std() / np.sqrt(runs)
            assert row["deviation"] == pytest.approx(same["value"].std())
            assert (row["low"], row["high"]) == pytest.approx((same["value"].mean() - half, same["value"].mean() + half))

    grid = alignment_queries.grid(files, wanted, METRICS, [VARIANT], runs)
    expected = found.groupby(["metric", "variant", "checkpoint", "layer"]).agg(
        value=("value", "mean"), low=("low", "mean"), high=("high", "mean"), pairs=("value", "size"), n=("n", "min")
    )
    pd.testing.assert_frame_equal(grid.set_index(["metric", "variant", "checkpoint", "layer"]), expected, check_dtype=False)


def test_nothing_asked_for_is_nothing_found(tmp_path: Path) -> None:
    assert alignment_queries.grid([], [], METRICS, [VARIANT]).empty
    shard(tmp_path, "aaaa", "c1", [("de", "en")], 1, 1)
    files = [scores.shard_path(tmp_path, "alignment", "aaaa")]
    assert alignment_queries.pairs(files, [], METRICS, [VARIANT]).empty
    assert alignment_queries.pairs(files, [("aaaa", "de", "en")], METRICS, ["another variant"]).empty
