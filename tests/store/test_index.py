"""The index of a folder's files: it spares their opening, and is never believed of a file that it was not made of."""

from __future__ import annotations

import datetime as dt
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from isogloss.backend import parquet, people
from isogloss.backend.errors import StoreError
from isogloss.backend.store import index, later, quarantine, records, scores, shard_files
from isogloss.backend.store.scores import SCORES
from tests.footers import footer

NOW = dt.datetime.now(dt.UTC)
KEYS = ("one", "two", "three")


@pytest.fixture(autouse=True)
def always_worth(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(index, "WORTH_FILES", 1)
    new_process()
    yield
    new_process()


def new_process() -> None:
    """Have nothing in memory, as a process that has just begun."""
    shard_files._verified.cache_clear()
    index._entries.cache_clear()
    shard_files._FOUND_LATER.clear()
    later._waiting.clear()
    later._keys.clear()
    index._noted.clear()


def write(workspace: Path, key: str, value: float = 0.5, **more: Any) -> Path:
    row = {"run": key, "experiment": "abx", "metric": "abx_meaning", "model": "m", "checkpoint": key, "corpus": "c", "layer": 0}
    row |= {"variant": "v", "source": "de", "target": "en", "value": value, "n": 9, "created_at": NOW}
    return scores.write(workspace, "abx", key, pa.Table.from_pylist([row], SCORES), footer("abx", fingerprint=key, **more))


@pytest.fixture
def written(tmp_path: Path) -> Path:
    for key in KEYS:
        write(tmp_path, key)
    new_process()
    return tmp_path


def do_what_waits() -> None:
    while later._one():
        pass


def listed(workspace: Path) -> dict[str, dict[str, Any]]:
    return {file.run: dict(file.provenance) for file in scores.shards([workspace], "abx")}


def truth(workspace: Path) -> dict[str, dict[str, Any]]:
    return {path.stem: parquet.metadata(path) for path in (workspace / "scores" / "abx").glob("*.parquet")}


def place(workspace: Path) -> Path:
    return workspace / "scores" / "abx" / index.NAME


def nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(path: Path) -> None:
        raise AssertionError(f"{path} was opened")

    monkeypatch.setattr(parquet, "verified", read)
    monkeypatch.setattr(parquet, "metadata", read)


def test_a_new_process_opens_the_index_alone(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = truth(written)
    assert len(expected) == 3
    modified = {path.stem: path.stat().st_mtime for path in (written / "scores" / "abx").glob("*.parquet")}
    nothing_is_read(monkeypatch)
    assert listed(written) == expected
    assert {file.run: file.modified for file in scores.shards([written], "abx")} == modified


def test_an_old_workspace_gets_an_index_when_it_is_listed(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place(written).unlink()
    expected = truth(written)
    assert listed(written) == expected
    new_process()
    nothing_is_read(monkeypatch)
    assert listed(written) == expected


@pytest.mark.parametrize("field", range(4))
def test_an_entry_of_another_file_is_not_believed(written: Path, field: int) -> None:
    whole = json.loads(place(written).read_bytes())
    entry = whole["files"]["one.parquet"]
    entry[0][field] += 1
    entry[1]["label"] = "made up"
    place(written).write_text(json.dumps(whole), encoding="utf-8")
    assert listed(written) == truth(written)


def test_a_file_that_was_written_again_is_read_again(written: Path) -> None:
    listed(written)
    new_process()
    write(written, "two", value=0.7, label="again")
    assert listed(written)["two"]["label"] == "again"
    new_process()
    assert listed(written) == truth(written)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "3",
        '{"format": 1}',
        '{"format": 2, "form": "x", "files": {}}',
        '{"format": 1, "form": "x", "files": []}',
        "half",
        "entries",
        "no object",
        "\ud800",
        "[" * 100_000,
    ],
)
def test_an_index_that_is_not_whole_counts_for_nothing(written: Path, text: str) -> None:
    whole = place(written).read_bytes()
    match text:
        case "half":
            place(written).write_bytes(whole[: len(whole) // 2])
        case "entries":
            spoilt = json.loads(whole)
            spoilt["files"] = {"one.parquet": None, "two.parquet": [[1], {}], "three.parquet": [None, []]}
            place(written).write_text(json.dumps(spoilt), encoding="utf-8")
        case "no object":
            spoilt = json.loads(whole)
            for entry in spoilt["files"].values():
                entry[1] = [1]
            place(written).write_text(json.dumps(spoilt), encoding="utf-8")
        case _:
            place(written).write_bytes(text.encode("utf-8", "surrogatepass"))
    assert listed(written) == truth(written)
    new_process()
    assert listed(written) == truth(written)


def test_what_is_said_of_a_file_is_checked_again(written: Path) -> None:
    """A version that asks more of a footer does not get it from an index of before."""
    whole = json.loads(place(written).read_bytes())
    del whole["files"]["one.parquet"][1]["fingerprint"]
    place(written).write_text(json.dumps(whole), encoding="utf-8")
    assert listed(written) == truth(written)


def test_an_index_that_is_wrong_is_found_out_later(written: Path) -> None:
    whole = json.loads(place(written).read_bytes())
    whole["files"]["one.parquet"][1]["label"] = "made up"
    place(written).write_text(json.dumps(whole), encoding="utf-8")
    assert listed(written)["one"]["label"] == "made up"
    do_what_waits()
    assert listed(written) == truth(written)


def test_damage_that_no_stamp_tells_is_found_later_and_set_aside(written: Path) -> None:
    path = scores.shard_path(written, "abx", "two")
    whole = bytearray(path.read_bytes())
    whole[60] ^= 1
    path.write_bytes(whole)
    spoilt = json.loads(place(written).read_bytes())
    spoilt["files"]["two.parquet"][0] = list(index.stamp(path))
    place(written).write_text(json.dumps(spoilt), encoding="utf-8")
    assert set(listed(written)) == set(KEYS)
    do_what_waits()
    assert set(listed(written)) == {"one", "three"}
    assert not path.exists()
    assert [each["file"] for each in quarantine.notes(written)] == ["scores/abx/two.parquet"]


def test_damage_of_a_file_that_was_touched_is_found_at_once(written: Path) -> None:
    path = scores.shard_path(written, "abx", "two")
    path.write_bytes(path.read_bytes()[:-20])
    assert set(listed(written)) == {"one", "three"}


def test_what_is_gone_leaves_the_index(written: Path) -> None:
    scores.shard_path(written, "abx", "one").unlink()
    assert set(listed(written)) == {"two", "three"}
    write(written, "four")
    assert set(json.loads(place(written).read_bytes())["files"]) == {"two.parquet", "three.parquet", "four.parquet"}


def test_two_that_write_at_once_lose_entries_but_make_none_wrong(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    older = place(written).read_bytes()
    write(written, "four")
    place(written).write_bytes(older)  # the other had read it before
    new_process()
    assert listed(written) == truth(written)
    new_process()
    nothing_is_read(monkeypatch)
    assert set(listed(written)) == {*KEYS, "four"}


def test_a_worker_writes_while_servers_list(tmp_path: Path) -> None:
    wrong: list[str] = []
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            for file in scores.shards([tmp_path], "abx"):
                if file.provenance != parquet.metadata(file.path):
                    wrong.append(file.run)

    lookers = [threading.Thread(target=look) for _ in range(3)]
    for each in lookers:
        each.start()
    for number in range(40):
        write(tmp_path, f"shard{number}")
    done.set()
    for each in lookers:
        each.join()
    new_process()
    assert not wrong
    assert listed(tmp_path) == truth(tmp_path)
    assert len(listed(tmp_path)) == 40


def test_where_it_cannot_be_written_files_are_listed_all_the_same(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path) -> None:
        raise StoreError(f"no space for {path.name}")

    place(written).unlink()
    monkeypatch.setattr(index, "publish", full)
    assert listed(written) == truth(written)


@pytest.mark.parametrize("which", ["looks only", "demo"])
def test_whoever_only_looks_writes_none(written: Path, which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place(written).unlink()
    if which == "demo":
        monkeypatch.setattr(index, "DEMO", written.resolve())
    else:
        monkeypatch.setattr(people, "only_looks", lambda: True)
    assert listed(written) == truth(written)
    assert not place(written).exists()


def test_columns_of_another_kind_are_verified_by_themselves(written: Path) -> None:
    """Records and scores say other things: an index of one form is none of the other."""
    path = scores.shard_path(written, "abx", "one")
    assert index.known(path, index.stamp(path), str(SCORES)) == parquet.metadata(path)
    assert index.known(path, index.stamp(path), str(records.RECORDS)) is None


def test_a_few_small_files_get_no_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "WORTH_FILES", 50)
    for key in KEYS:
        write(tmp_path, key)
    assert listed(tmp_path) == truth(tmp_path)
    assert not place(tmp_path).exists()
