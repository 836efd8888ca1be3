"""Alignments from files: every link where it belongs, every mistake by its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isogloss.backend.corpora.shared.inputs import InputFile
from isogloss.backend.corpora.word_alignments.readers import Alignment, Base, Link, read, read_naacl
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from pathlib import Path

LENGTHS = [(3, 2), (2, 2), (1, 4)]


def written(folder: Path, text: str, name: str = "gold.txt") -> InputFile:
    (folder / name).write_text(text, encoding="utf-8", newline="")
    return InputFile(name, folder / name)


def places(alignment: Alignment) -> list[list[tuple[int, int, bool]]]:
    return [[(k.source, k.target, k.sure) for k in links] for links in alignment.links]


def test_sure_and_possible_links(tmp_path: Path) -> None:
    found = read(written(tmp_path, "2-1 0-0 1p1\n\n0?3\t0-1\r\n"), LENGTHS)
    assert places(found) == [[(0, 0, True), (1, 1, False), (2, 1, True)], [], [(0, 1, True), (0, 3, False)]]
    assert (found.base, found.notes) == (0, ())


def test_a_link_given_twice_is_one_and_sure_if_either_is(tmp_path: Path) -> None:
    found = read(written(tmp_path, "0p0 0-0 0p0 1p1 1p1\n\n\n"), LENGTHS)
    assert places(found)[0] == [(0, 0, True), (1, 1, False)]


def test_counted_from_one(tmp_path: Path) -> None:
    one = read(written(tmp_path, "1-1 3-2\n\n1p4\n"), LENGTHS)
    assert places(one) == [[(0, 0, True), (2, 1, True)], [], [(0, 3, False)]]
    assert (one.base, one.notes) == (1, ("gold.txt counts tokens from 1.",))
    assert read(written(tmp_path, "1-1\n\n\n"), LENGTHS, base=1).links[0] == (Link(0, 0),)


def test_nothing_shows_the_base(tmp_path: Path) -> None:
    found = read(written(tmp_path, "1-1\n\n\n"), LENGTHS)
    assert found.links[0] == (Link(1, 1),)
    assert "nothing in it shows which" in found.notes[0]


@pytest.mark.parametrize(
    ("text", "base", "line", "message"),
    [
        ("0-0\n\n", "detect", 2, "2 lines for 3 sentence pairs"),
        ("0-0\n\n\n\n", "detect", 4, "4 lines for 3 sentence pairs"),
        ("0-0\n0:0\n\n", "detect", 2, "'0:0' is no link"),
        ("0-0\n0-\n\n", "detect", 2, "'0-' is no link"),
        ("0-0\n-1-0\n\n", "detect", 2, "'-1-0' is no link"),
        ("0-0\n٠-٠\n\n", "detect", 2, "is no link"),
        ("0-0\n0-0-0\n\n", "detect", 2, "is no link"),
        ("0-0\n0-0000001\n\n", "detect", 2, "is no link"),
        ("0-0\n\n0-4\n", "detect", 3, "counted from 1 stands here, but places counted from 0 on line 1"),
        ("0-0\n\n0-5\n", "detect", 3, "no target token 5: the sentence has 4, counted from 0"),
        ("0-0\n2-0\n\n", 0, 2, "no source token 2: the sentence has 2, counted from 0"),
        ("1-1\n1-0\n\n", 1, 2, "no target token 0: the sentence has 2, counted from 1"),
        ("1-1\n3-1\n\n", 1, 2, "no source token 3"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, text: str, base: Base, line: int, message: str) -> None:
    with pytest.raises(CorpusError, match=message) as caught:
        read(written(tmp_path, text), LENGTHS, base=base)
    assert (caught.value.file, caught.value.line) == ("gold.txt", line)


def test_naacl(tmp_path: Path) -> None:
    text = "0001 1 1 S\n1 2 2 P\n\n3 1 4 P 0.5\n3 1 1\n0003 1 2 0.25\n2 0 1 S\n0001 1 1 P\n"
    found = read_naacl(written(tmp_path, text), LENGTHS)
    assert places(found) == [
        [(0, 0, True), (1, 1, False)],
        [],
        [(0, 0, True), (0, 1, True), (0, 3, False)],
    ]
    assert found.null == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1 1 S\n1 1\n", "is no line of NAACL"),
        ("1 1 1 S\n1 1 x S\n", "is no line of NAACL"),
        ("1 1 1 S\n1 1 1 S 0.5 more\n", "is no line of NAACL"),
        ("1 1 1 S\n4 1 1 S\n", "no sentence 4; there are 3"),
        ("1 1 1 S\n0 1 1 S\n", "no sentence 0"),
        ("1 1 1 S\n1 4 1 S\n", "no source token 4: the sentence has 3, counted from 1"),
    ],
)
def test_naacl_errors_name_the_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(CorpusError, match=message) as caught:
        read_naacl(written(tmp_path, text), LENGTHS)
    assert (caught.value.file, caught.value.line) == ("gold.txt", 2)


LINKS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4), st.booleans()), max_size=8)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(LINKS, min_size=1, max_size=4).filter(any), st.sampled_from([0, 1]))
def test_what_is_written_is_read(tmp_path: Path, sentences: list[list[tuple[int, int, bool]]], base: Base) -> None:
    first = int(base)  # type: ignore[arg-type]
    text = "".join(" ".join(f"{i + first}{'-' if s else 'p'}{j + first}" for i, j, s in links) + "\n" for links in sentences)
    found = read(written(tmp_path, text), [(6, 5)] * len(sentences), base=base)
    for links, expected in zip(found.links, sentences, strict=True):
        assert {(k.source, k.target) for k in links} == {(i, j) for i, j, _ in expected}
        assert {(k.source, k.target) for k in links if k.sure} == {(i, j) for i, j, s in expected if s}
