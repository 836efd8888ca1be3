"""Scores: what a query gives equals a plain loop over the rows."""

from __future__ import annotations

import datetime as dt
import os
import threading
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from isogloss.backend.errors import StoreError
from isogloss.backend.experiments.abx import queries as abx_queries
from isogloss.backend.experiments.abx.pair_means import pair_means
from isogloss.backend.store import cube, quarantine, scores
from isogloss.backend.store.scores import SCORES
from tests.footers import footer

LANGUAGES = ["ar", "de", "en", "zh"]


def rows(checkpoint: str, seed: int, run: str) -> list[dict[str, object]]:
    random = np.random.default_rng(seed)
    common = {"run": run, "experiment": "abx", "model": "m", "checkpoint": checkpoint, "step": seed, "corpus": "c", "n": 9}
    common |= {"variant": "exact/mean", "seed": None, "created_at": dt.datetime.now(dt.UTC)}
    return [
        common | {"metric": metric, "layer": layer, "source": a, "target": b, "value": v, "low": v - 0.1, "high": v + 0.1}
        for metric in ("abx_language", "abx_meaning", "retrieval_top1")
        for layer in (0, 1, 2)
        for a, b in combinations(LANGUAGES, 2)
        for v in [float(random.random())]
    ]


@pytest.fixture
def written(tmp_path: Path) -> list[dict[str, object]]:
    every = []
    for number, checkpoint in enumerate(["one", "two"]):
        mine = rows(checkpoint, number, f"shard{number}")
        scores.write(
            tmp_path, "abx", f"shard{number}", pa.Table.from_pylist(mine, SCORES), footer("abx", fingerprint=checkpoint)
        )
        every += mine
    return every


def files(workspace: Path) -> list[Path]:
    return [shard.path for shard in scores.shards([workspace], "abx")]


def test_grid_is_the_mean_over_the_chosen_pairs(tmp_path: Path, written: list[dict[str, object]]) -> None:
    chosen = ["ar", "de", "zh"]
    frame = abx_queries.grid(files(tmp_path), chosen, ["one", "two"])
    assert len(frame) == 3 * 2 * 3
    for found in frame.itertuples():
        plain = [
            row["value"]
            for row in written
            if (row["metric"], row["checkpoint"], row["layer"]) == (found.metric, found.checkpoint, found.layer)
            and row["source"] in chosen
            and row["target"] in chosen
        ]
        assert found.value == pytest.approx(np.mean(plain))  # type: ignore[arg-type]
        assert found.pairs == 3


def test_by_language_counts_a_pair_for_both(tmp_path: Path, written: list[dict[str, object]]) -> None:
    frame = abx_queries.by_language(files(tmp_path), LANGUAGES, ["one"], [1, 2])
    for found in frame.itertuples():
        plain = [
            row["value"]
            for row in written
            if row["metric"] == found.metric
            and row["checkpoint"] == "one"
            and row["layer"] in (1, 2)
            and found.language in (row["source"], row["target"])
        ]
        assert found.value == pytest.approx(np.mean(plain))  # type: ignore[arg-type]


def test_pairs_lays_the_metrics_side_by_side(tmp_path: Path, written: list[dict[str, object]]) -> None:
    frame = abx_queries.pairs(files(tmp_path), LANGUAGES, ["two"], [0])
    assert len(frame) == 6
    values = {
        (r["metric"], r["source"], r["target"]): r["value"] for r in written if r["checkpoint"] == "two" and r["layer"] == 0
    }
    for found in frame.itertuples():
        assert found.language == values["abx_language", found.source, found.target]
        assert found.meaning == values["abx_meaning", found.source, found.target]
        assert found.retrieval == values["retrieval_top1", found.source, found.target]


def test_no_files_is_an_empty_frame() -> None:
    assert abx_queries.grid([], LANGUAGES, ["one"]).empty
    assert scores.sql("SELECT count(*) AS n FROM scores", [])["n"][0] == 0


def test_a_damaged_shard_counts_as_not_computed(tmp_path: Path, written: list[dict[str, object]]) -> None:
    path = scores.shard_path(tmp_path, "abx", "shard0")
    assert scores.exists([tmp_path], "abx", "shard0")
    os.truncate(path, path.stat().st_size - 10)
    assert not scores.exists([tmp_path], "abx", "shard0")
    assert [shard.path.stem for shard in scores.shards([tmp_path], "abx")] == ["shard1"]
    assert quarantine.notes(tmp_path)[0]["file"] == "scores/abx/shard0.parquet"


def test_threads_may_query_at_once(tmp_path: Path, written: list[dict[str, object]]) -> None:
    found, failed = [], []

    def ask() -> None:
        try:
            for _ in range(10):
                found.append(len(abx_queries.grid(files(tmp_path), LANGUAGES, ["one", "two"])))
        except Exception as error:  # noqa: BLE001 — any failure is what this test looks for
            failed.append(error)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert found == [18] * 80


def test_sql_sees_each_score_once_and_the_newest(tmp_path: Path, written: list[dict[str, object]]) -> None:
    newer = [
        row | {"value": 2.0, "created_at": dt.datetime.now(dt.UTC) + dt.timedelta(hours=1)} for row in rows("one", 0, "again")
    ]
    scores.write(tmp_path, "abx", "again", pa.Table.from_pylist(newer, SCORES), footer("abx"))
    frame = scores.sql("SELECT checkpoint, count(*) AS n, min(value) AS low FROM scores GROUP BY 1 ORDER BY 1", [tmp_path])
    assert list(frame["n"]) == [54, 54]
    assert frame["low"][0] == 2.0


def test_wrong_sql_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="could not be run"):
        scores.sql("SELECT nonsense FROM nowhere", [tmp_path])


def test_by_language_and_layer_is_by_language_of_one_layer(tmp_path: Path, written: list[dict[str, object]]) -> None:
    each = abx_queries.by_language_and_layer(files(tmp_path), LANGUAGES, ["one"])
    for layer in (0, 1, 2):
        one = abx_queries.by_language(files(tmp_path), LANGUAGES, ["one"], [layer])
        same = each[each["layer"] == layer].drop(columns="layer").reset_index(drop=True)
        assert same.round(12).equals(one.round(12))


@pytest.mark.parametrize("pairs", [[("ar", "de")], [("ar", "en"), ("de", "en"), ("en", "zh")], [("en", "ru")], []])
def test_chosen_pairs_are_all_that_every_query_counts(
    tmp_path: Path, written: list[dict[str, object]], pairs: list[tuple[str, str]]
) -> None:
    def values(metric: str, layers: tuple[int, ...], language: str | None = None) -> list[float]:
        return [
            float(str(row["value"]))
            for row in written
            if row["metric"] == metric
            and row["checkpoint"] == "one"
            and row["layer"] in layers
            and (row["source"], row["target"]) in pairs
            and language in (None, row["source"], row["target"])
        ]

    of = files(tmp_path), LANGUAGES, ["one"]
    grid = abx_queries.grid(*of, pairs=pairs)
    languages = abx_queries.by_language(*of, [0, 2], pairs=pairs)
    layers = abx_queries.by_language_and_layer(*of, pairs=pairs)
    each = abx_queries.pairs(*of, [1], pairs=pairs)
    there = {tag for pair in pairs for tag in pair} if ("en", "ru") not in pairs else set()
    assert len(grid) == (9 if there else 0)
    assert set(languages["language"]) == there == set(layers["language"])
    assert set(zip(each["source"], each["target"], strict=True)) == (set(pairs) if there else set())
    for row in grid.itertuples():
        assert row.value == pytest.approx(np.mean(values(row.metric, (row.layer,))))
        assert row.pairs == len(pairs)
    for row in languages.itertuples():
        assert row.value == pytest.approx(np.mean(values(row.metric, (0, 2), row.language)))
    for row in layers.itertuples():
        assert row.value == pytest.approx(np.mean(values(row.metric, (row.layer,), row.language)))
    (paths, languages, checkpoints) = of
    means = [each.among(tuple(languages), tuple(pairs)) for path in paths for each in pair_means(path, checkpoints, [1])]
    assert [pair for each in means for pair in each.pairs] == list(zip(each["source"], each["target"], strict=True))
    for name in ("language", "meaning"):
        np.testing.assert_allclose([value for each in means for value in getattr(each, name)], each[name].to_numpy(float))


def test_the_spread_is_the_mean_and_the_ends_of_the_pairs_deviations(tmp_path: Path) -> None:
    mine = [row | {"metric": f"{row['metric']}_sd"} for row in rows("one", 7, "spread") if row["metric"] != "retrieval_top1"]
    scores.write(tmp_path, "abx", "spread", pa.Table.from_pylist(mine + rows("one", 8, "spread"), SCORES), footer("abx"))
    for pairs in (None, [("ar", "de"), ("en", "zh")]):
        frame = abx_queries.spread(files(tmp_path), LANGUAGES, ["one"], pairs=pairs)
        assert len(frame) == 2 * 3
        for found in frame.itertuples():
            plain = [
                float(str(row["value"]))
                for row in mine
                if (row["metric"], row["layer"]) == (found.metric, found.layer)
                and (pairs is None or (row["source"], row["target"]) in pairs)
            ]
            assert (found.low, found.high, found.pairs) == (min(plain), max(plain), len(plain))
            assert found.value == pytest.approx(np.mean(plain))


def test_of_a_large_file_another_view_reads_nothing(
    tmp_path: Path, written: list[dict[str, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    of = files(tmp_path), LANGUAGES, ["one", "two"]
    expected = abx_queries.by_language_and_layer(*of)
    cube._REDUCED.clear()
    monkeypatch.setattr(abx_queries, "LARGE", 10)
    abx_queries.grid(*of)
    cube._FILES.clear()
    monkeypatch.setattr(cube, "_read", None)
    assert abx_queries.by_language_and_layer(*of).equals(expected)
