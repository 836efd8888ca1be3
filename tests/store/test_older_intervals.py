"""Scores stored with the intervals of before are read, by every way to them, as those that are written today."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from isogloss.backend.experiments.abx import queries
from isogloss.backend.metrics.intervals import Z95, jackknife_interval, wilson_interval
from isogloss.backend.store import older, scores
from tests.footers import footer

LANGUAGES = ["ar", "de", "en", "zh"]
N = 40


def rows(checkpoint: str, seed: int, *, today: bool) -> list[dict[str, Any]]:
    draw, found = np.random.default_rng(seed), []
    for metric in ("abx_language", "abx_meaning", "retrieval_top1", "abx_meaning_baseline"):
        for layer, (source, target) in ((layer, pair) for layer in (0, 1) for pair in combinations(LANGUAGES, 2)):
            value = float(draw.choice([0.0, 1.0, 0.5, draw.random(), 1 - 1e-4]))
            error = float(draw.choice([0.0, 1e-5, 0.05, 0.2, np.nan]))
            if metric == "retrieval_top1":
                low, high = wilson_interval(value, N)
            elif today:
                low, high = jackknife_interval(value, error, N)
            else:
                low, high = np.clip([value - Z95 * error, value + Z95 * error], 0, 1)
            named = {"metric": metric, "layer": layer, "source": source, "target": target, "n": N}
            found.append(named | {"value": value, "low": float(low), "high": float(high)})
            if metric.endswith("baseline"):
                found[-1] |= {"low": np.nan, "high": np.nan}
    return found


def keep(workspace: Path, number: int, *, today: bool, variant: str = "exact/mean") -> None:
    said = footer("abx", fingerprint=f"c{number}", variant=variant) | (older.TODAY if today else {})
    of = {"model": "m", "corpus": "c", "checkpoint": f"c{number}", "variant": variant}
    table = scores.table(rows(f"c{number}", number, today=today), run=f"shard{number}", family="abx", **of)
    scores.write(workspace, "abx", f"shard{number}", table, said)


def everything(workspace: Path) -> list[pd.DataFrame]:
    files = [shard.path for shard in scores.shards([workspace], "abx")]
    which, frames = (LANGUAGES, ["c0", "c1"]), []
    frames += [queries.grid(files, *which), queries.by_language(files, *which, [1]), queries.pairs(files, *which, [0, 1])]
    frames.append(queries.by_language_and_layer(files, *which))
    frames.append(scores.sql("SELECT * EXCLUDE created_at FROM scores ORDER BY ALL", [workspace]))
    return frames


def test_each_way_to_older_scores_gives_the_intervals_of_today(tmp_path: Path) -> None:
    before, now = tmp_path / "before", tmp_path / "now"
    for number in (0, 1):
        keep(before, number, today=number == 1)  # beside one of today, in the same query
        keep(now, number, today=True)
    for found, expected in zip(everything(before), everything(now), strict=True):
        pd.testing.assert_frame_equal(found, expected, rtol=1e-9, atol=1e-9)
    as_stored = pa.concat_tables([pa.parquet.read_table(path) for path in before.glob("scores/abx/*")]).to_pandas()
    read = scores.sql("SELECT * FROM scores", [before])
    assert len(read) == len(as_stored)
    assert not np.allclose(read["low"].sort_values(), as_stored["low"].sort_values(), equal_nan=True), "nothing was to be done"


@pytest.mark.parametrize("variant", ["sampled/mean/100000 triplets", "control/mean"])
def test_sampled_triplets_are_left_as_they_are(tmp_path: Path, variant: str) -> None:
    keep(tmp_path, 0, today=False, variant=variant)
    read = scores.sql("SELECT * FROM scores", [tmp_path])
    stored = pa.parquet.read_table(next(tmp_path.glob("scores/abx/*"))).to_pandas()[scores.SCORES.names]
    key = ["metric", "layer", "source", "target"]
    ends = [frame.sort_values(key)[["low", "high"]].to_numpy() for frame in (read, stored)]
    assert np.allclose(*ends, rtol=0, atol=1e-12, equal_nan=True) == variant.startswith("sampled")


def test_the_demo_has_no_interval_without_width() -> None:
    demo = Path(__file__).resolve().parents[2] / "cache" / "demo"
    read = scores.sql("SELECT * FROM scores WHERE metric IN ('abx_language', 'abx_meaning') AND NOT isnan(low)", [demo])
    assert len(read) > 100
    assert (read["high"] - read["low"]).min() > 0
    assert ((read["low"] <= read["value"]) & (read["value"] <= read["high"])).all()
    assert (read["high"] - read["low"] < 0.5).all()
