"""`.vec` files against a plain reading of the whole file, and what real files hold that trips plain readers."""

from __future__ import annotations

import gc
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.backend.corpora.languages.words import fold
from isogloss.backend.errors import ModelError, StoreError
from isogloss.backend.models.static import vectors as static_vectors
from isogloss.backend.models.static.vectors import read, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ENGLISH = partial(fold, language="en")


def file(folder: Path, text: str | bytes) -> Path:
    path = folder / "some.vec"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return path


def plainly(text: str, wanted: list[str], key: Callable[[str], str]) -> dict[str, list[float]]:
    """The whole file in memory: exact words first, then the first of the same key."""
    lines = [line.split(" ") for line in text.split("\n")[1:] if line]
    exact: dict[str, list[float]] = {}
    folded: dict[str, list[float]] = {}
    for word, *numbers in lines:
        exact.setdefault(word, [float(number) for number in numbers])
        folded.setdefault(key(word), [float(number) for number in numbers])
    return {word: exact.get(word, folded.get(word)) for word in wanted if word in exact or word in folded}


@settings(max_examples=80)
@given(
    st.lists(st.tuples(st.sampled_from(["Aa", "aa", "AA", "b", "B", "Ç", "ç", "İ", "x\u00a0y", "\u0085"]), st.integers(-9, 9)))
)
def test_what_is_found_is_what_a_plain_reading_finds(
    tmp_path_factory: pytest.TempPathFactory, lines: list[tuple[str, int]]
) -> None:
    text = f"{len(lines) + 1} 2\nlast 0 0\n" + "".join(f"{word} {n} {i}\n" for i, (word, n) in enumerate(lines))
    wanted = ["aa", "b", "ç", "x\u00a0y", "\u0085", "nothing"]
    expected = plainly(text, wanted, ENGLISH)
    found = read(file(tmp_path_factory.mktemp("vec"), text), wanted, key=ENGLISH)
    assert found.report.words == len(lines) + 1
    assert found.report.note is None
    assert [word for word, there in zip(wanted, found.found, strict=True) if there] == list(expected)
    for word, there, vector in zip(wanted, found.found, found.vectors, strict=True):
        assert vector.tolist() == (expected[word] if there else [0, 0])


def test_odd_words_of_real_files(tmp_path: Path) -> None:
    text = (
        "Haus 1 2 \n"  # fastText ends lines with a space
        "house 3 4\r\n"
        "House 30 40\n"
        "house 300 400\n"
        ". . . 5 6\n"
        "at me@x.org 7 8\n"
        "\u2028 9 10\n"
        "1\u00a0000 11 12\n"
        "5 13 14\n"
    )
    wanted = ["haus", "house", ". . .", "at me@x.org", "\u2028", "1\u00a0000", "5"]
    found = read(file(tmp_path, text), wanted, key=ENGLISH)
    assert found.vectors.tolist() == [[1, 2], [3, 4], [5, 6], [7, 8], [9, 10], [11, 12], [13, 14]]
    assert (found.report.dims, found.report.words, found.report.declared) == (2, 9, None)


def test_a_word_written_as_asked_goes_before_an_earlier_capital(tmp_path: Path) -> None:
    path = file(tmp_path, "3 1\nApple 1\napple 2\nAPPLE 3\n")
    assert read(path, ["apple"], key=ENGLISH).vectors.tolist() == [[2]]
    assert read(path, ["apple"]).vectors.tolist() == [[2]]
    assert not read(path, ["aPPLE"]).found.any()


def test_the_header_may_be_absent_and_a_byte_order_mark_present(tmp_path: Path) -> None:
    assert read(file(tmp_path, b"\xef\xbb\xbfa 1 2\nb 3 4\n"), ["a", "b"]).vectors.tolist() == [[1, 2], [3, 4]]
    assert read(file(tmp_path, b"\xef\xbb\xbf1 2\na 1 2"), ["a"]).report.declared == 1


def test_broken_lines_are_counted_with_their_numbers(tmp_path: Path) -> None:
    text = b"9 2\na nan 1\nb 1 inf\nc 1 1e99\n\n 1 2\nd x 1\n\xff\xfe 1 2\na 5 6\nd 7 8\nz nan nan\n"
    found = read(file(tmp_path, text), ["a", "b", "c", "d"])
    assert found.report.broken == (
        (2, "not numbers"),
        (3, "not numbers"),
        (4, "not numbers"),
        (5, "blank"),
        (6, "no word"),
        (7, "not numbers"),
        (8, "the word is not UTF-8"),
        (11, "not numbers"),  # although nobody asked for z
    )
    assert found.found.tolist() == [True, False, False, True], "a later line serves where the first is broken"
    assert found.vectors.tolist() == [[5, 6], [0, 0], [0, 0], [7, 8]]
    assert found.report.words == 2
    assert found.report.note == (
        "The first line promises 9 words, the file has 10. Lines left out: 8; the first is line 2: not numbers."
    )


def test_only_the_first_broken_lines_are_listed(tmp_path: Path) -> None:
    found = read(file(tmp_path, "a 1 2\n" + "\n" * 250))
    assert len(found.report.broken) == static_vectors.LISTED
    assert found.report.broken_count == 250


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2 3\na 1 2 3\nb 1 2\n", r"some\.vec, line 3: A word is followed by 2 numbers, not by 3\."),
        ("a 1 2 3\nb 1 2 3 4\n", r"some\.vec, line 2: A word is followed by 4 numbers, not by 3\."),
        ("2 900000\na 1 2 3\n", r"some\.vec, line 2: A word is followed by 3 numbers, not by 900,000\."),
        ("a 1 2\nb", r"some\.vec, line 2: A word is followed by 0 numbers"),
        ("dog hund\n", r"some\.vec, line 1: There is no word followed by numbers\."),
        ("dog\thund\n", r"some\.vec, line 1: There is no word followed by numbers\."),
        ("", r"some\.vec, line 1: There is no word followed by numbers\."),
        ("3 2\n", r"some\.vec, line 1: No line has a word with a vector: nothing follows\."),
        ("2 2\na one two\nb three four\n", r"some\.vec, line 2: No line has a word with a vector: not numbers\."),
        ("2 2\na 0x1 1_0\n", r"some\.vec, line 2: No line has a word with a vector: not numbers\."),
        ("a one two\nb three four\n", r"some\.vec, line 1: There is no word followed by numbers\."),
        ("2 2\na .1 .2 .3\n", r"some\.vec, line 2: A word is followed by 3 numbers, not by 2\. The first line is '2 2'"),
        ("2 2 0\na 1 2\n", r"some\.vec, line 1: There are whole numbers alone.*'count dims'"),
        ("-2 2\na 1\n", r"some\.vec, line 1: There are whole numbers alone"),
        ("2 0\na 1\n", r"some\.vec, line 1: There are whole numbers alone"),
        (b"\x1f\x8b\x08 1 2", r"some\.vec, line 1: The file is compressed\."),
        (b"\xba\x16\x4f\x2f\x0c\x00", r"some\.vec, line 1: There is no word"),
        ("a 1\n" + "b" * 2**20 + " 1", r"some\.vec, line 2: The line does not end\."),
    ],
)
def test_what_is_no_such_file_is_told_with_its_line(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        read(file(tmp_path, text), ["a"])


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"none\.vec cannot be read \(No such file"):
        read(tmp_path / "none.vec")


def test_the_vectors_are_mapped_and_leave_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "room"))
    (tmp_path / "room").mkdir()
    found = read(file(tmp_path, "a 1 2\n"), ["a", "b"])
    assert isinstance(found.vectors, np.memmap)
    assert list((tmp_path / "room").iterdir()) == []
    vectors = found.vectors
    del found
    gc.collect()
    assert vectors.tolist() == [[1, 2], [0, 0]]


def test_a_full_disk_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.posix_fallocate", full)
    with pytest.raises(StoreError, match="no room for 1 vectors"):
        read(file(tmp_path, "a 1 2\n"), ["a"])


def test_progress_is_told_and_may_stop(tmp_path: Path) -> None:
    path = file(tmp_path, "word 1.0\n" * 10_000)
    shares: list[float] = []
    read(path, progress=shares.append)
    assert shares == pytest.approx([0.4096, 0.8192, 1])

    def stop(share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read(path, progress=stop)


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    import tracemalloc

    path = file(tmp_path, "1 300\n" + ("word" + " 0.1234" * 300 + "\n") * 10_000)  # 24 MB
    tracemalloc.start()
    read(path, ["word"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4e6


@settings(max_examples=40)
@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=5), st.booleans())
def test_what_is_written_is_read_again_to_the_last_bit(
    tmp_path_factory: pytest.TempPathFactory, numbers: list[float], header: bool
) -> None:
    path = tmp_path_factory.mktemp("vec") / "own.vec"
    vectors = {"a": np.array(numbers, np.float32), "ʼn\u00a0": -np.array(numbers, np.float32)}
    write(path, vectors, header=header)
    found = read(path, vectors)
    assert found.vectors.tobytes() == b"".join(vector.tobytes() for vector in vectors.values())


def test_write_refuses_what_the_format_cannot_hold(tmp_path: Path) -> None:
    for bad in ({"a b": np.ones(2)}, {"": np.ones(2)}, {"a": np.ones(2), "b": np.ones(3)}):
        with pytest.raises(ValueError, match=r"cannot stand|one size"):
            write(tmp_path / "x.vec", {word: vector.astype(np.float32) for word, vector in bad.items()})
    assert list(tmp_path.iterdir()) == []
