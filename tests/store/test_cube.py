"""Files of scores as arrays: every number at its place, and of a large file only the layers that are asked for."""

from __future__ import annotations

import datetime as dt
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from isogloss.backend import parquet
from isogloss.backend.errors import StoreError
from isogloss.backend.store import coded, cube, older, scores
from isogloss.backend.store.scores import SCORES

if TYPE_CHECKING:
    from pathlib import Path

LANGUAGES = ["ar", "de", "en", "zh"]
NOW = dt.datetime.now(dt.UTC)


def row(**own: Any) -> dict[str, Any]:
    common = {"run": "shard", "experiment": "abx", "model": "m", "checkpoint": "one", "corpus": "c", "variant": "v", "n": 9}
    return common | {"metric": "abx_meaning", "layer": 0, "source": "de", "target": "en", "created_at": NOW} | own


def write(workspace: Path, rows: list[dict[str, Any]]) -> Path:
    return scores.write(workspace, "abx", "shard", pa.Table.from_pylist(rows, SCORES), older.TODAY)


def everything(layers: int = 3, lost: float = 0.3) -> list[dict[str, Any]]:
    random = np.random.default_rng(0)
    found = [
        row(metric=metric, layer=layer, source=a, target=b, value=float(random.random()), low=float(random.random()))
        for metric in ("abx_meaning", "abx_language")
        for layer in range(layers)
        for a, b in combinations(LANGUAGES, 2)
        if random.random() >= lost
    ]
    random.shuffle(found)
    return found


def numbers(found: cube.Cube, field: str) -> dict[tuple[str, int, str, str], float]:
    """Every number of a cube by what it is of."""
    names, values = found.pairs.names, found.fields[field]
    return {
        (found.metrics[i], int(found.layers[j]), names[found.pairs.source[k]], names[found.pairs.target[k]]): values[i, j, k]
        for i, j, k in np.argwhere(np.isfinite(values)).tolist()
    }


def test_each_number_is_at_its_place(tmp_path: Path) -> None:
    rows = everything()
    (found,) = cube.cubes(write(tmp_path, rows))
    assert (found.checkpoint, found.corpus, found.variant, found.seed, found.run) == ("one", "c", "v", None, "shard")
    for field in ("value", "low"):
        expected = {(each["metric"], each["layer"], each["source"], each["target"]): each[field] for each in rows}
        assert numbers(found, field) == expected
    assert np.isnan(found.fields["high"]).all()


def test_seeds_variants_and_checkpoints_are_cubes_of_their_own_and_the_newest_of_a_cell_stays(tmp_path: Path) -> None:
    later = NOW + dt.timedelta(hours=1)
    rows = [row(value=0.1, created_at=later), row(value=0.9), row(value=0.2, seed=3), row(value=0.3, variant="w")]
    rows += [row(value=0.4, checkpoint=None, layer=None), row(value=0.5, source=None), row(value=0.6, target="de")]
    found = {(each.checkpoint, each.variant, each.seed): each for each in cube.cubes(write(tmp_path, rows))}
    assert set(found) == {("one", "v", None), ("one", "v", 3), ("one", "w", None), (None, "v", None)}
    assert numbers(found["one", "v", None], "value") == {
        ("abx_meaning", 0, "de", "en"): 0.1,
        ("abx_meaning", 0, "de", "de"): 0.6,
    }
    assert found[None, "v", None].layers.tolist() == [cube.NO_LAYER]


@pytest.mark.parametrize("wanted", [None, [("ar", "en"), ("de", "en")], []])
def test_pairs_among_some_languages(tmp_path: Path, wanted: list[tuple[str, str]] | None) -> None:
    (found,) = cube.cubes(write(tmp_path, everything(lost=0)))
    some = found.pairs.among(["en", "ar", "zh", "tlh"], wanted)
    ends = zip(found.pairs.source[some], found.pairs.target[some], strict=True)
    chosen = {tuple(sorted((found.pairs.names[a], found.pairs.names[b]))) for a, b in ends}
    assert chosen == {("ar", "en")} & set(wanted) if wanted is not None else {("ar", "en"), ("ar", "zh"), ("en", "zh")}


@pytest.mark.parametrize("group", [6, 5])
def test_of_a_large_file_what_is_asked_for_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, group: int) -> None:
    monkeypatch.setattr(scores, "GROUP", 8)  # a layer of a measure has six rows
    monkeypatch.setattr(cube, "LARGE", 10)
    path = write(tmp_path, everything(layers=6, lost=0))
    if group == 5:  # as older files are: groups begin anywhere
        parquet.write(path, parquet.read(path), parquet.metadata(path), group=group)
    parts = {name: cube.cubes(path, **asked) for name, asked in ASKED.items()}  # type: ignore[arg-type]
    assert parts.pop("nothing") == ()
    (whole,) = cube.cubes(path)
    every = numbers(whole, "value")
    for name, (part,) in parts.items():
        asked, read = ASKED[name], numbers(part, "value")
        wanted = {key: one for key, one in every.items() if all(key[at] in asked.get(of, [key[at]]) for of, at in AT.items())}
        assert read.items() >= wanted.items()
        assert len(read) < len(every)
        assert group == 5 or read == wanted
    assert cube.cubes(path, layers=[3]) is cube.cubes(path)  # the file is kept by now


ASKED: dict[str, dict[str, list[Any]]] = {
    "one layer": {"layers": [2]},
    "two": {"layers": [0, 4]},
    "a measure": {"metrics": ["abx_meaning"]},
    "a layer of it": {"metrics": ["abx_language"], "layers": [5], "checkpoints": ["one", "two"]},
    "nothing": {"checkpoints": ["two"]},
}
AT = {"metrics": 0, "layers": 1}


def test_what_is_made_of_a_file_is_kept_without_it(tmp_path: Path) -> None:
    path, made = write(tmp_path, everything()), []

    def total(of: cube.Cube) -> dict[str, Any]:
        made.append(of)
        return {"total": np.nansum(of.fields["value"], axis=2)}

    first = cube.reduced(path, "total", total)
    cube._FILES.clear()
    assert cube.reduced(path, "total", total) is first
    assert len(made) == 1


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"gone.*Reload"):
        cube.cubes(tmp_path / "gone.parquet")
    with pytest.raises(TypeError, match="paths alone"):
        cube.cubes("/etc/passwd")  # type: ignore[arg-type]
    path = write(tmp_path, [])
    assert cube.cubes(path) == ()


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_a_mean_of_much_is_that_of_its_parts(axis: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    values = np.where(random.random((3, 4, 5)) < 0.4, np.nan, random.random((3, 4, 5)))
    values[0, 0], values[1, :, 2] = np.nan, np.inf
    whole = cube.mean_of_known(values, axis)
    monkeypatch.setattr(cube, "AT_ONCE", 7)
    np.testing.assert_array_equal(cube.mean_of_known(values, axis), whole)
    assert cube.mean_of_known(values[:0], axis).shape == whole[:0].shape if axis else True


@pytest.mark.parametrize("seed", range(5))
def test_different_rows_of_codes_are_found_in_order(seed: int) -> None:
    draw = np.random.default_rng(seed)
    columns = [draw.integers(-1, most, 200) for most in (0, 3, 1 << 40, 2)]
    rows, which = coded.distinct(columns)
    expected, places = np.unique(np.column_stack(columns), axis=0, return_inverse=True)
    assert np.array_equal(rows, expected)
    assert np.array_equal(which, places.ravel())


def test_without_seeds_what_is_of_none_is_read(tmp_path: Path) -> None:
    of = everything()
    path = write(tmp_path, of + [each | {"seed": seed, "value": 0.5} for each in of for seed in (0, 7)])
    (found,) = cube.read_whole(path, seeds=False)
    assert {each.seed for each in cube.read_whole(path)} == {None, 0, 7}
    assert numbers(found, "value") == {
        (each["metric"], each["layer"], each["source"], each["target"]): each["value"] for each in of
    }


@pytest.mark.parametrize("seed", range(5))
def test_columns_of_texts_are_joined_and_put_in_order(seed: int) -> None:
    draw = np.random.default_rng(seed)
    common = ("b", "ä", "a", "unused")
    parts = [(texts, draw.integers(0, 3, draw.integers(0, 9))) for texts in (common, common, ("c", "a", "b"))]
    parts.append(coded.same("", 2))
    plain = [texts[code] for texts, codes in parts for code in codes]
    known, codes = coded.joined(parts)
    assert list(coded.as_texts((known, codes))) == plain
    other = draw.integers(0, 2, len(plain))
    order, twice = coded.in_order([codes, other])
    rows = list(zip(plain, other.tolist(), strict=True))
    assert [rows[place] for place in order] == sorted(rows)
    assert twice == (len(set(rows)) < len(rows))


def test_of_one_row_or_none_none_is_there_twice() -> None:
    for rows in (0, 1):
        assert not coded.in_order([np.zeros(rows, np.intp)])[1]
