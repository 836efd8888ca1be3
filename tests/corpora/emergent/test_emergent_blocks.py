"""Files of emergent languages are read in blocks: no row, however long, depends on where a block ends."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from isogloss.backend.corpora.emergent.layouts import Layout
from isogloss.backend.corpora.emergent.readers import InputFile, read
from isogloss.backend.corpora.emergent.rows import integers, utterance
from isogloss.backend.corpora.shared import blocks as shared_blocks
from isogloss.backend.corpora.shared.blocks import BrokenRowError
from tests.corpora.emergent.emergent_reading import BROKEN, Read, left, words

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("row", [b"[1, 2]", b"9" * 90])
def test_a_very_long_row_is_left_out_without_being_held(reading: Read, monkeypatch: pytest.MonkeyPatch, row: bytes) -> None:
    monkeypatch.setattr(shared_blocks, "BLOCK", 16)
    monkeypatch.setattr(shared_blocks, "MAX_ROW", 64)
    long = b"[" + b"1," * 100 + b"1]"
    inside = [b"[0]", long, b"[1]", long, row]
    corpus = reading(b"\n".join(inside) + b"\n")
    assert [line for line, reason in left(corpus) if reason.startswith("longer than")] == [2, 4] + [5] * (len(row) > 64)
    assert words(corpus)[:2] == [["0"], ["1"]]
    assert [line for line, _ in left(reading(b"\n".join(inside[:2])))] == [2]


@pytest.mark.parametrize("length", range(58, 84))
def test_the_longest_row_does_not_depend_on_where_blocks_end(
    reading: Read, monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    monkeypatch.setattr(shared_blocks, "BLOCK", 16)
    monkeypatch.setattr(shared_blocks, "MAX_ROW", 64)
    corpus = reading("a b\n" + "a" * length + "\nb\n")
    assert corpus.utterances == (2 if length > 64 else 3)


def test_blocks_cut_rows_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x"
    path.write_bytes("\ufeff[1, 2]\r\n\n[3]\né\r\nlast".encode())
    for size in range(1, 40):
        monkeypatch.setattr(shared_blocks, "BLOCK", size)
        found = list(shared_blocks.blocks(InputFile("x", path)))
        assert [row for block in found for row in block.rows] == ["[1, 2]", "", "[3]", "é", "last"]
        assert [line for block in found for line in block.lines] == [1, 2, 3, 4, 5]
        assert [block.cut for block in found] == [False] * (len(found) - 1) + [True]


def test_progress_goes_to_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_blocks, "BLOCK", 1000)
    for name in "ab":
        (tmp_path / name).write_text("[1, 2]\n" * 1000)
    told: list[float] = []
    read([InputFile(name, tmp_path / name) for name in "ab"], progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert any(0.4 < share < 0.6 for share in told)


ROW = st.one_of(
    st.lists(st.integers(0, 50), max_size=4).map(json.dumps),
    st.lists(st.integers(-1, 2**31), max_size=3).map(str),
    st.lists(st.integers(0, 50), min_size=1, max_size=4).map(lambda row: " ".join(map(str, row))),
    st.lists(st.integers(0, 9), max_size=2).map(lambda row: json.dumps({"m": row, "x": "é"})),
    st.sampled_from([each for each, _ in BROKEN if len(each) < 100]),
    st.text('[]{}",: 01\x85é', max_size=8),
)


@given(st.sampled_from(["arrays", "lines", "objects"]), st.lists(ROW, min_size=1, max_size=5))
@example("objects", ['{"m":[1],', '"x":2}', '{"m":[1]} {"m":[2]}'])
@example("objects", ['{"m":[1],"x":[{}', "{}]}", '{"m":[1]} {"m":[2]}'])
@example("arrays", ["[1]", '[1]} {"ids":[2]'])
@example("lines", ["1 2 ", "3"])
@example("lines", ["1", ""])
def test_whole_blocks_agree_with_row_after_row(kind: Any, rows: list[str]) -> None:
    layout = Layout(kind, "integers", "m" if kind == "objects" else None)
    found = integers(rows, layout)
    one_by_one: list[Any] = []
    for row in rows:
        try:
            one_by_one.append(utterance(row, layout))
        except BrokenRowError:
            one_by_one.append(None)
    if found is None:
        return
    ids, lengths = found
    ends = lengths.cumsum().tolist()
    assert [ids[end - length : end].tolist() for end, length in zip(ends, lengths.tolist(), strict=True)] == one_by_one


@pytest.mark.parametrize(
    ("kind", "rows"),
    [
        ("arrays", ["[1, 2]", "[3]"]),
        ("lines", ["1 2", "3"]),
        ("lines", ["1 2 ", "3 "]),
        ("objects", ['{"m":[1,2]}', '{"m":[3]}']),
    ],
)
def test_whole_blocks_of_sound_rows_are_read_at_once(kind: Any, rows: list[str]) -> None:
    found = integers(rows, Layout(kind, "integers", "m"))
    assert found is not None
    assert (found[0].tolist(), found[1].tolist()) == ([1, 2, 3], [2, 1])
