"""Published files are whole or absent, and a damaged one is noticed, named and set aside."""

from __future__ import annotations

import math
import os
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from isogloss.backend import parquet
from isogloss.backend.errors import StoreError
from isogloss.backend.files import publish
from isogloss.backend.store import cache, embeddings, quarantine, scores


def table(rows: int = 1000) -> pa.Table:
    return pa.table({"value": np.random.default_rng(0).random(rows)})


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = parquet.write(tmp_path / "a.parquet", table(), {"name": "ü"})
    assert parquet.read(path).equals(table().replace_schema_metadata(parquet.read(path).schema.metadata))
    assert parquet.metadata(path) == {"name": "ü"}


@pytest.mark.parametrize("keep", [0, 3, 100, 0.5, 0.99])
def test_a_truncated_file_is_noticed(tmp_path: Path, keep: float) -> None:
    path = parquet.write(tmp_path / "a.parquet", table(), {})
    size = path.stat().st_size
    os.truncate(path, keep if isinstance(keep, int) else int(size * keep))
    with pytest.raises(StoreError, match=r"a\.parquet is damaged"):
        parquet.read(path)


def test_no_flipped_byte_changes_what_is_read(tmp_path: Path) -> None:
    path = parquet.write(tmp_path / "a.parquet", table(50), {})
    whole = path.read_bytes()
    for place in range(len(whole)):
        broken = bytearray(whole)
        broken[place] ^= 0x10
        path.write_bytes(broken)
        try:
            found = parquet.read(path)
        except StoreError:
            continue
        assert found.equals(table(50)), f"byte {place}"  # it lies where nothing is read from, such as the writer's name


def test_a_damaged_file_is_set_aside_with_its_reason(tmp_path: Path) -> None:
    path = parquet.write(tmp_path / "scores" / "abx" / "a.parquet", table(), {})
    os.truncate(path, 50)
    count, problems = cache.check(tmp_path)
    assert count == 1
    assert "a.parquet is damaged" in problems[0]
    assert not path.exists()
    note = quarantine.notes(tmp_path)[0]
    assert note["file"] == "scores/abx/a.parquet"
    assert "damaged" in note["reason"]


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), publish(tmp_path / "a.txt") as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_nobody_touches_a_file_that_is_being_written(tmp_path: Path) -> None:
    path = scores.shard_path(tmp_path, "abx", "a")
    kept = embeddings.save(tmp_path, KEY, ["0"], vectors(1))
    with publish(path) as one, publish(kept) as other, publish(tmp_path / "quarantine" / "a.json") as note:
        for temporary in (one, other, note):
            temporary.write_text("half")
        assert scores.shards([tmp_path], "abx") == scores.shards([tmp_path]) == []
        assert quarantine.notes(tmp_path) == []
        assert cache.check(tmp_path) == (1, [])
        embeddings.make_room(tmp_path, 0.0)
        assert not kept.exists()
        assert all(temporary.exists() for temporary in (one, other, note))
    assert path.read_text() == kept.read_text() == "half"


def test_what_another_worker_takes_away_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = embeddings.save(tmp_path, KEY, ["0"], vectors(1))
    real = embeddings._files
    gone = (0.0, 1, str(path.with_name("gone.parquet")))
    monkeypatch.setattr(embeddings, "_files", lambda workspace: [gone, *real(workspace)])
    embeddings.make_room(tmp_path, 0.0)
    assert not path.exists()


def test_a_full_disk_is_one_sentence(tmp_path: Path) -> None:
    def full(path: Path) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(StoreError, match="No space left on device"), publish(tmp_path / "a.txt") as temporary:
        full(temporary)


def test_a_workspace_that_is_a_file_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "workspace").write_text("")
    with pytest.raises(StoreError, match="Check that the workspace is writable"):
        parquet.write(tmp_path / "workspace" / "a.parquet", table(), {})


KEY = embeddings.EmbeddingKey("f", "c", "en", "mean", "s")


def vectors(sentences: int, layers: int = 2, dims: int = 4, device: str = "cpu") -> embeddings.SentenceVectors:
    random = np.random.default_rng(0)
    return embeddings.SentenceVectors(
        vectors=random.normal(size=(sentences, layers, dims)).astype(np.float16),
        exponents=random.integers(-127, 128, size=(sentences, layers)).astype(np.int16),
        truncated=random.random(sentences) < 0.5,
        device=device,
        precision="float32",
    )


@pytest.mark.parametrize("shape", [(7, 3, 5), (1, 1, 1), (8, 13, 16)])
def test_embeddings_come_back_bit_for_bit(tmp_path: Path, shape: tuple[int, int, int]) -> None:
    given = vectors(*shape)
    if shape == (7, 3, 5):
        given.vectors[0, 0] = [np.float16(65504), -0.0, 6e-8, 1, -1]
    embeddings.save(tmp_path, KEY, [str(i) for i in range(shape[0])], given)
    found = embeddings.load(tmp_path, KEY)
    assert found is not None
    for part in ("vectors", "exponents", "truncated"):
        one, other = getattr(found, part), getattr(given, part)
        assert (one.tobytes(), one.shape, one.dtype) == (other.tobytes(), other.shape, other.dtype)
    assert (found.device, found.precision) == ("cpu", "float32")
    first = embeddings.EmbeddingKey("f", "c", "en", "first", "s")
    assert embeddings.load(tmp_path, first) is None
    assert (embeddings.exists(tmp_path, KEY), embeddings.exists(tmp_path, first)) == (True, False)


def test_what_is_no_vector_can_be_queried(tmp_path: Path) -> None:
    given = vectors(5)
    path = embeddings.save(tmp_path, KEY, list("abcde"), given)
    found = duckdb.sql(f"SELECT sentence_id, truncated, exponents FROM '{path}'").fetchall()
    cut, exponents = given.truncated.tolist(), given.exponents.tolist()
    assert found == list(zip("abcde", cut, exponents, strict=True))


def test_embeddings_of_an_older_format_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embeddings.save(tmp_path, KEY, ["0"], vectors(1))
    monkeypatch.setattr(embeddings, "FORMAT", embeddings.FORMAT + 1)
    assert embeddings.load(tmp_path, KEY) is None
    assert not quarantine.notes(tmp_path)


def test_damaged_embeddings_count_as_missing(tmp_path: Path) -> None:
    path = embeddings.save(tmp_path, KEY, ["0"], vectors(1))
    os.truncate(path, path.stat().st_size // 2)
    assert embeddings.load(tmp_path, KEY) is None
    assert len(quarantine.notes(tmp_path)) == 1


def test_the_least_recently_used_embeddings_go_first(tmp_path: Path) -> None:
    keys = [embeddings.EmbeddingKey("f", "c", language, "mean", "s") for language in ("de", "en", "fr")]
    for age, key in enumerate(keys):
        path = embeddings.save(tmp_path, key, [str(i) for i in range(64)], vectors(64, 8, 64))
        os.utime(path, (1_000 + age, 1_000 + age))
    embeddings.load(tmp_path, keys[0])  # used now
    each = path.stat().st_size
    embeddings.make_room(tmp_path, 2.5 * each / 2**30)
    assert [embeddings.exists(tmp_path, key) for key in keys] == [True, False, True]


def test_room_is_made_for_what_matters_most_and_nothing_that_the_run_used_goes(tmp_path: Path) -> None:
    keys = [embeddings.EmbeddingKey("f", "c", language, "mean", "s") for language in ("de", "en", "fr", "ru")]
    for age, key in enumerate(keys):
        path = embeddings.save(tmp_path, key, [str(i) for i in range(64)], vectors(64, 8, 64))
        os.utime(path, (1_000 + age, 1_000 + age))
    each = path.stat().st_size

    def left() -> list[bool]:
        return [embeddings.exists(tmp_path, key) for key in keys]

    def room(files: float, *sizes: int, since: float = math.inf) -> int:
        return embeddings.make_room(tmp_path, files * each / 2**30, sizes, since)

    assert room(4.5, each, each, since=1_000) == 0  # all are the run's own, and there is room for half a file
    assert room(6.5, each, each, each, since=1_000) == 2
    assert left() == [True] * 4
    assert room(4.5, each, each, each, since=1_002) == 2  # the third would have cost a file of the run
    assert left() == [False, False, True, True]
    assert room(1.5, 2 * each) == 0  # larger than the budget
    assert left() == [False, False, False, True]
    assert room(0.5, since=1_000) == 0  # a budget that was lowered: what the run uses stays until it is over
    assert left() == [False, False, False, True]
    assert room(0.5) == 0
    assert left() == [False] * 4
    assert embeddings.make_room(tmp_path / "nowhere", 1.0, [2**30, 1]) == 1


def test_remove_refuses_what_the_user_brought(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="what people brought or wrote"):
        cache.remove(tmp_path, "corpora")
    assert cache.remove(tmp_path, "embeddings") == 0
