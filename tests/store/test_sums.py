"""Sums kept beside a file: what the pairs give, and never another file's."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from isogloss.backend import people
from isogloss.backend.experiments.abx import queries
from isogloss.backend.experiments.abx.pair_means import pair_means
from isogloss.backend.store import by_pair, cube, later, older, scores, sums
from isogloss.backend.store.over_pairs import ENDS
from isogloss.backend.store.scores import SCORES

LANGUAGES = ["ar", "de", "en", "ja", "zh"]
NOW = dt.datetime.now(dt.UTC)


@pytest.fixture(autouse=True)
def of_any_size(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sums, "WORTH", 0)
    forget()
    yield
    forget()


def forget() -> None:
    for kept in (sums._KEPT, cube._FILES, cube._REDUCED):
        kept.clear()
    by_pair._loaded.cache_clear()


def rows(seed: int, languages: list[str] = LANGUAGES, lost: float = 0.2) -> list[dict[str, Any]]:
    """Two checkpoints, three measures, four layers and pairs in both directions and with themselves, some lost or unknown."""
    random = np.random.default_rng(seed)
    common = {"run": "shard", "experiment": "abx", "model": "m", "corpus": "c", "variant": "v", "created_at": NOW}
    found = []
    measures = ("abx_language", "abx_meaning", "abx_meaning_sd")
    for checkpoint, metric, layer, a, b in product(("one", "two"), measures, range(4), languages, languages):
        if random.random() >= lost and (a != b or random.random() < 0.1):
            value = float(random.choice([0.0, 0.5, random.random()]))
            ends = {"low": None, "high": float("nan")} if random.random() < 0.2 else {"low": value - 0.1, "high": value + 0.1}
            own = {"metric": metric, "layer": layer, "source": a, "target": b, "value": value, "n": int(random.integers(2, 9))}
            found.append(common | own | ends | {"checkpoint": checkpoint})
    return found


def write(workspace: Path, of: list[dict[str, Any]]) -> Path:
    said = {"fingerprint": "one", "corpus": "c", "languages": LANGUAGES, "variant": "v", **older.TODAY}
    return scores.write(workspace, "abx", "shard", pa.Table.from_pylist(of, SCORES), said)


def kept_in(path: Path) -> Path:
    return path.parent / "sums" / path.name


def known(row: dict[str, Any], name: str) -> bool:
    return row[name] is not None and np.isfinite(row[name])


def agree(found: tuple[cube.Cube, ...] | None, of: list[dict[str, Any]]) -> None:
    """Every sum is that of a loop over the rows."""
    assert found is not None
    assert {each.checkpoint for each in found} == {row["checkpoint"] for row in of}
    for each in found:
        own = [row for row in of if row["checkpoint"] == each.checkpoint]
        assert each.pairs.names == tuple(sorted({row[end] for row in own for end in ("source", "target")}))
        for (i, metric), (j, layer) in product(enumerate(each.metrics), enumerate(each.layers.tolist())):
            here = [row for row in own if (row["metric"], row["layer"]) == (metric, layer)]
            assert each.fields["n"][i, j] == min((row["n"] for row in here), default=np.inf)
            assert each.fields["least"][i, j] == min((row["value"] for row in here), default=np.inf)
            assert each.fields["greatest"][i, j] == max((row["value"] for row in here), default=-np.inf)
            for e, name in enumerate(ENDS):
                numbers = [row[name] for row in here if known(row, name)]
                assert each.fields["total"][e, i, j] == pytest.approx(sum(numbers), abs=1e-12)
                assert each.fields["count"][e, i, j] == len(numbers)
                for k, tag in enumerate(each.pairs.names):
                    ends = [row[name] for row in here for end in ("source", "target") if row[end] == tag and known(row, name)]
                    assert each.fields["language_total"][e, i, j, k] == pytest.approx(sum(ends), abs=1e-12)
                    assert each.fields["language_count"][e, i, j, k] == len(ends)


@pytest.mark.parametrize("of", [rows(0), rows(1, lost=0), rows(2, ["de", "en"]), rows(3, ["en"], lost=0.0)[:3]])
def test_sums_are_those_of_the_rows_also_when_no_pair_is_read(
    tmp_path: Path, of: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, of)
    forget()
    monkeypatch.setattr(cube, "_read", None)
    agree(sums.of_file(path), of)


def test_of_a_file_without_rows_there_are_none(tmp_path: Path) -> None:
    path = write(tmp_path, [])
    forget()
    assert sums.of_file(path) == ()


def spoil(place: Path, how: str) -> None:
    whole = place.read_bytes()
    match how:
        case "gone":
            place.unlink()
        case "cut off":
            place.write_bytes(whole[:-9])
        case "empty":
            place.write_bytes(b"")
        case "another byte":
            place.write_bytes(whole[:40] + bytes([whole[40] ^ 1]) + whole[41:])
        case "of another version":
            sums.VERSION += 1
        case "half written":
            place.with_name(".tmp-x.parquet").write_bytes(whole[:50])
            place.unlink()


@pytest.mark.parametrize("how", ["gone", "cut off", "empty", "another byte", "of another version", "half written"])
def test_sums_that_are_not_whole_are_made_again(tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "VERSION", sums.VERSION)
    path = write(tmp_path, of := rows(4))
    spoil(kept_in(path), how)
    forget()
    agree(sums.of_file(path), of)
    forget()
    monkeypatch.setattr(cube, "_read", None)
    agree(sums.of_file(path), of)


def test_sums_of_what_stood_there_before_are_not_believed(tmp_path: Path) -> None:
    before = write(tmp_path, rows(5))
    old, stat = kept_in(before).read_bytes(), before.stat()
    path = write(tmp_path, of := rows(6))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))
    kept_in(path).write_bytes(old)
    forget()
    agree(sums.of_file(path), of)


@pytest.mark.parametrize("which", ["looks only", "demo"])
def test_where_nothing_may_be_written_sums_are_the_same(tmp_path: Path, which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, of := rows(7))
    kept_in(path).unlink()
    forget()
    if which == "demo":
        monkeypatch.setattr(sums, "DEMO", tmp_path.resolve())
    else:
        monkeypatch.setattr(people, "only_looks", lambda: True)
    agree(sums.of_file(path), of)
    assert not kept_in(path).exists()


QUERIES: dict[str, Callable[..., pd.DataFrame]] = {
    "grid": queries.grid,
    "by language": lambda *of, **more: queries.by_language(*of, [1, 3], **more),
    "by language and layer": queries.by_language_and_layer,
    "spread": queries.spread,
}


@pytest.mark.parametrize("languages", [LANGUAGES, [*LANGUAGES, "fi", "aa"], LANGUAGES[1:], ["ar", "zh"]])
@pytest.mark.parametrize("query", QUERIES)
def test_views_are_the_same_with_and_without_sums(
    tmp_path: Path, query: str, languages: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, rows(8))
    for pairs in (None, [("ar", "de"), ("en", "zh")]):
        of = [path], languages, ["one", "two"]
        with_sums = QUERIES[query](*of, pairs=pairs)
        forget()
        monkeypatch.setattr(sums, "WORTH", 1 << 40)
        pd.testing.assert_frame_equal(with_sums, QUERIES[query](*of, pairs=pairs), rtol=1e-12)
        monkeypatch.setattr(sums, "WORTH", 0)


def of_one_run(seed: int) -> list[dict[str, Any]]:
    return [row | {"n": 9} for row in rows(seed) if row["checkpoint"] == "one"]


@pytest.mark.parametrize("languages", [LANGUAGES[1:], ["ar", "zh"], ["de"], ["fi", "aa"], [*LANGUAGES[2:], "fi"]])
@pytest.mark.parametrize("query", QUERIES)
def test_some_languages_of_a_large_file_are_read_pair_by_pair(
    tmp_path: Path, query: str, languages: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_pair, "WORTH", 0)
    path = write(tmp_path, of_one_run(9))
    for pairs in (None, [("ar", "de"), ("en", "zh")], [("ar", "zh")]):
        of = [path], languages, ["one"]
        forget()
        with monkeypatch.context() as patched:
            patched.setattr(cube, "_read", None)  # nor a row of the scores
            found = QUERIES[query](*of, pairs=pairs)
        forget()
        with monkeypatch.context() as patched:
            patched.setattr(sums, "WORTH", 1 << 40)
            pd.testing.assert_frame_equal(found, QUERIES[query](*of, pairs=pairs), rtol=1e-6)


@pytest.mark.parametrize("query", QUERIES)
def test_of_a_file_of_several_series_each_is_kept_pair_by_pair(
    tmp_path: Path, query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_pair, "WORTH", 0)
    path = write(tmp_path, [row | {"n": 9 if row["checkpoint"] == "one" else 7} for row in rows(15)])
    assert by_pair.place_of(path).exists()
    for languages, pairs in ((LANGUAGES[1:], None), (LANGUAGES, [("ar", "de"), ("de", "ar"), ("en", "en")])):
        forget()
        with monkeypatch.context() as patched:
            patched.setattr(cube, "_read", None)
            found = QUERIES[query]([path], languages, ["one", "two"], pairs=pairs)
        forget()
        with monkeypatch.context() as patched:
            patched.setattr(sums, "WORTH", 1 << 40)
            expected = QUERIES[query]([path], languages, ["one", "two"], pairs=pairs)
        pd.testing.assert_frame_equal(found, expected, rtol=1e-6)


def test_bounds_are_kept_to_a_step_of_their_range(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals on both sides of a value, some that do not hold it, one as wide as the scale; each pair alone."""
    monkeypatch.setattr(by_pair, "WORTH", 0)
    random = np.random.default_rng(16)
    of = [row for row in of_one_run(16) if row["low"] is not None]
    of = [row | {"low": row["value"] - random.normal(0.01, 0.01), "high": row["value"] + random.random() ** 8} for row in of]
    path = write(tmp_path, of)
    (kept,) = by_pair.load(path, sums.said_of(cube.state_of(path))) or ()
    (exact,) = cube.read_whole(path)
    for place in range(len(kept.pairs)):
        found = kept.sums(np.array([place]))["total"]
        for end, name in enumerate(ENDS):
            field = exact.fields[name]
            distance = np.abs(field - exact.fields["value"])
            most = np.nan_to_num(distance).max(axis=2) * 2 / by_pair.STEPS + 1e-7
            off = np.abs(found[end] - np.nan_to_num(field[:, :, place]))
            assert (off <= most).all()


@pytest.mark.parametrize("how", ["gone", "cut off", "empty", "no head", "of another file"])
def test_pairs_that_are_not_whole_count_for_nothing(tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_pair, "WORTH", 0)
    path = write(tmp_path, of_one_run(10))
    place = by_pair.place_of(path)
    whole = place.read_bytes()
    match how:
        case "gone":
            place.unlink()
        case "no head":
            place.write_bytes(b"x" + whole[1:])
        case "of another file":
            other = write(tmp_path / "other", of_one_run(11))
            os.utime(other, ns=(0, 0))
            place.write_bytes(by_pair.place_of(other).read_bytes())
            assert by_pair.load(other, sums.said_of(cube.state_of(other))) is None
        case _:
            place.write_bytes(whole[:-4] if how == "cut off" else b"")
    forget()
    assert by_pair.load(path, sums.said_of(cube.state_of(path))) is None
    found = queries.grid([path], LANGUAGES[1:], ["one"])
    monkeypatch.setattr(sums, "WORTH", 1 << 40)
    forget()
    pd.testing.assert_frame_equal(found, queries.grid([path], LANGUAGES[1:], ["one"]))


def test_damaged_pairs_are_found_later_and_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_pair, "WORTH", 0)
    path = write(tmp_path, of_one_run(12))
    place, of = by_pair.place_of(path), sums.said_of(cube.state_of(path))
    whole = bytearray(place.read_bytes())
    whole[-5] ^= 1
    place.write_bytes(whole)
    assert by_pair.load(path, of) is not None
    while later._one():
        pass
    assert not place.exists()
    assert by_pair.load(path, of) is None
    by_pair._WRONG.clear()
    forget()
    queries.grid([path], LANGUAGES[1:], ["one"])
    assert by_pair.load(path, of) is not None


def test_pairs_are_read_whole_once_however_often_they_are_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_pair, "WORTH", 0)
    path = write(tmp_path, of_one_run(13))
    while later._one():
        pass
    verified: list[bool] = []
    for _ in range(3):
        assert by_pair.load(path, sums.said_of(cube.state_of(path))) is not None
        while later._one():
            verified.append(True)
    assert len(verified) == 1


def test_pairs_of_different_sentences_or_several_runs_are_read_from_the_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_pair, "WORTH", 0)
    for of in (rows(13), [row | {"n": place} for place, row in enumerate(of_one_run(13))]):
        path = write(tmp_path, of)
        assert not by_pair.place_of(path).exists()


@pytest.mark.parametrize("layers", [[2], [0, 1, 2, 3], [1, 2, 3, 7]])
def test_means_of_pairs_over_many_layers_are_those_of_the_scores(
    tmp_path: Path, layers: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_pair, "WORTH", 0)
    monkeypatch.setattr(queries, "FEW", 1)
    path = write(tmp_path, of_one_run(14))
    (found,) = pair_means(path, ["one"], layers)
    forget()
    monkeypatch.setattr(sums, "WORTH", 1 << 40)
    (expected,) = pair_means(path, ["one"], layers)
    assert (list(found.pairs), found.checkpoint) == (list(expected.pairs), expected.checkpoint)
    for name in ("language", "meaning"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-6)


@pytest.mark.parametrize("layers", [(2,), (0, 2), (0, 1, 2, 3), ()])
@pytest.mark.parametrize("amount", [1, 3])
def test_sums_over_layers_of_pairs_that_lack_nothing_are_those_of_the_rows(
    tmp_path: Path, layers: tuple[int, ...], amount: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_pair, "WORTH", 0)
    every_pair = [row for row in rows(19, lost=0) if row["checkpoint"] == "one" and row["source"] != row["target"]]
    random = np.random.default_rng(20)
    own = [
        row | {"n": 9, "low": row["value"] - 0.1 * (1 + row["layer"]) * random.random(), "high": row["value"] + random.random()}
        for row in every_pair
    ]
    path = write(tmp_path, own)
    assert [each.whole for each in by_pair.load(path, sums.said_of(cube.state_of(path))) or ()] == [True]
    (found,) = sums.over_layers(path, layers, amount) or ()
    names = found.pairs.names
    for k, (a, b) in enumerate(zip(found.pairs.source, found.pairs.target, strict=True)):
        for i, metric in enumerate(found.metrics):
            here = [row for row in own if (row["metric"], row["source"], row["target"]) == (metric, names[a], names[b])]
            here = [row for row in here if row["layer"] in layers]
            for e, end in enumerate(ENDS[:amount]):
                assert found.fields["total"][e, i, k] == pytest.approx(sum(row[end] for row in here), abs=1e-3)
                assert found.fields["count"][e, i, k] == len(here)


@pytest.mark.parametrize("layers", [[0, 1, 2, 3], [1, 2, 7], [7, 8]])
def test_scores_of_pairs_over_many_layers_are_those_of_the_scores(
    tmp_path: Path, layers: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_pair, "WORTH", 0)
    monkeypatch.setattr(queries, "FEW", 1)
    path = write(tmp_path, of_one_run(17))
    for languages, pairs in ((LANGUAGES, None), (LANGUAGES[1:], [("de", "en"), ("en", "zh"), ("zh", "de")])):
        forget()
        with monkeypatch.context() as patched:
            patched.setattr(cube, "_read", None)
            found = queries.pairs([path], languages, ["one"], layers, pairs=pairs)
        forget()
        with monkeypatch.context() as patched:
            patched.setattr(sums, "WORTH", 1 << 40)
            expected = queries.pairs([path], languages, ["one"], layers, pairs=pairs)
        pd.testing.assert_frame_equal(found, expected, rtol=1e-6)


def test_what_is_repeated_takes_memory_once() -> None:
    whole = np.zeros((3, 2, 4, 5))
    repeated = np.broadcast_to(np.arange(5.0), whole.shape)
    for count, size in ((whole + np.arange(5.0), 5), (repeated, 5), (np.arange(120.0).reshape(whole.shape), 120)):
        once = sums._once(count)
        np.testing.assert_array_equal(once, count)
        made = cube.Cube(
            "", "", "", None, None, None, None, 0, (), np.zeros(0, int), cube.Pairs((), *[np.zeros(0, int)] * 2), {"": once}
        )
        assert cube.size_of((made,)) == 1024 + 8 * size
