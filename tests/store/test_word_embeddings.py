"""Kept word vectors: what comes back is what went in, and what is damaged or not there is not taken for vectors."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.backend import parquet
from isogloss.backend.store import embeddings, word_embeddings
from isogloss.backend.store.word_embeddings import WordVectors, key_of

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.store.embeddings import EmbeddingKey

KEY = key_of("fingerprint", "corpus", "en", "words-1", "sentences")


def made(words: int, layers: int = 3, dims: int = 5, seed: int = 0) -> WordVectors:
    draw = np.random.default_rng(seed)
    starts = draw.integers(0, 1000, words)
    places = np.stack([np.arange(words) // 3, starts, starts + draw.integers(1, 9, words)], axis=1).astype(np.int32)
    vectors = draw.normal(size=(words, layers, dims)).astype(np.float16)
    lost = draw.random(words) < 0.3
    return WordVectors(places=places, vectors=vectors, lost=lost, device="cpu", precision="float32")


def same(one: WordVectors, other: WordVectors) -> bool:
    arrays = ((one.places, other.places), (one.vectors, other.vectors), (one.lost, other.lost))
    equal = all(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes() for a, b in arrays)
    return equal and (one.device, one.precision) == (other.device, other.precision)


@given(st.integers(0, 50), st.integers(1, 4), st.integers(1, 7), st.integers(0, 9))
@settings(max_examples=30)
def test_what_is_kept_comes_back(
    tmp_path_factory: pytest.TempPathFactory, words: int, layers: int, dims: int, seed: int
) -> None:
    folder = tmp_path_factory.mktemp("workspace")
    found = made(words, layers, dims, seed)
    word_embeddings.save(folder, KEY, found)
    again = word_embeddings.load(folder, KEY)
    assert again is not None
    assert same(found, again)


def test_many_words_come_back_however_the_file_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found, write = made(30_000, 2, 4), parquet.write
    monkeypatch.setattr(parquet, "write", lambda *given, **options: write(*given, **(options | {"group": 1000})))
    path = word_embeddings.save(tmp_path, KEY, found)
    assert pq.ParquetFile(path).num_row_groups == 30
    again = word_embeddings.load(tmp_path, KEY)
    assert again is not None
    assert same(found, again)


def test_an_array_that_is_not_contiguous_is_kept_as_it_reads(tmp_path: Path) -> None:
    found = made(20)
    turned = replace(found, places=found.places[::-1], vectors=found.vectors[::-1, ::-1], lost=found.lost[::-1])
    word_embeddings.save(tmp_path, KEY, turned)
    again = word_embeddings.load(tmp_path, KEY)
    assert again is not None
    assert (again.vectors == found.vectors[::-1, ::-1]).all()
    assert (again.places == found.places[::-1]).all()


def test_exponents_come_back_and_older_files_have_none(tmp_path: Path) -> None:
    plain = made(20)
    exponents = np.random.default_rng(3).integers(-127, 128, (20, 3)).astype(np.int16)
    found = replace(plain, exponents=exponents)
    word_embeddings.save(tmp_path, KEY, found)
    again = word_embeddings.load(tmp_path, KEY)
    assert again is not None
    assert again.exponents is not None
    assert (again.exponents.dtype, again.exponents.tolist()) == (np.int16, exponents.tolist())
    place = tuple(found.places[7].tolist())
    taken = again.take([(place[0], place[1], place[2])])
    assert taken.exponents is not None
    assert taken.exponents.tolist() == [exponents[7].tolist()]
    word_embeddings.save(tmp_path, KEY, plain)
    older = word_embeddings.load(tmp_path, KEY)
    assert older is not None
    assert older.exponents is None
    assert older.take([]).exponents is None


def test_nothing_kept_is_none(tmp_path: Path) -> None:
    assert word_embeddings.load(tmp_path, KEY) is None


@pytest.mark.parametrize(
    "other",
    [
        key_of("another", "corpus", "en", "words-1", "sentences"),
        key_of("fingerprint", "another", "en", "words-1", "sentences"),
        key_of("fingerprint", "corpus", "de", "words-1", "sentences"),
        key_of("fingerprint", "corpus", "en", "words-2", "sentences"),
        key_of("fingerprint", "corpus", "en", "words-1", "others"),
        key_of("fingerprint", "corpus", "en", "words-1", "sentences", precision="bfloat16"),
        embeddings.EmbeddingKey("fingerprint", "corpus", "en", "mean", "sentences"),
    ],
)
def test_anything_else_has_another_file(tmp_path: Path, other: EmbeddingKey) -> None:
    word_embeddings.save(tmp_path, KEY, made(5))
    assert other.file != KEY.file
    assert word_embeddings.load(tmp_path, other) is None


def test_words_are_taken_by_place_in_the_order_asked_for() -> None:
    found = made(12)
    rows = [7, 0, 7, 11]
    taken = found.take([(int(a), int(b), int(c)) for a, b, c in found.places[rows]])
    assert (taken.vectors == found.vectors[rows]).all()
    assert (taken.lost == found.lost[rows]).all()
    assert (taken.places == found.places[rows]).all()
    nothing = found.take([])
    assert nothing.vectors.shape == (0, 3, 5)
    with pytest.raises(KeyError):
        found.take([(0, 5000, 5001)])


@pytest.mark.parametrize("harm", ["flipped", "cut", "no Parquet", "empty"])
def test_a_damaged_file_is_set_aside(tmp_path: Path, harm: str) -> None:
    path = word_embeddings.save(tmp_path, KEY, made(2000))
    content = bytearray(path.read_bytes())
    match harm:
        case "flipped":
            content[len(content) // 2] ^= 0xFF
        case "cut":
            content = content[:-100]
        case "no Parquet":
            content = bytearray(b"vectors")
        case "empty":
            content = bytearray()
    path.write_bytes(content)
    assert word_embeddings.load(tmp_path, KEY) is None
    assert not path.exists()
    assert any(path.name in each.name for each in (tmp_path / "quarantine").rglob("*"))


def test_the_budget_counts_words_too(tmp_path: Path) -> None:
    path = word_embeddings.save(tmp_path, KEY, made(2000))
    embeddings.make_room(tmp_path, 1.0)
    assert path.exists()
    embeddings.make_room(tmp_path, 0.0)
    assert word_embeddings.load(tmp_path, KEY) is None


def test_reading_counts_as_use(tmp_path: Path) -> None:
    other = key_of("fingerprint", "corpus", "de", "words-1", "sentences")
    first = word_embeddings.save(tmp_path, KEY, made(2000))
    second = word_embeddings.save(tmp_path, other, made(2000))
    word_embeddings.load(tmp_path, KEY)
    size = (first.stat().st_size + second.stat().st_size) / 2**30
    embeddings.make_room(tmp_path, size * 0.75)
    assert (first.exists(), second.exists()) == (True, False)
