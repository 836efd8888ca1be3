"""Broken rows and files of emergent languages: what each comes to, by name, line and count."""

from __future__ import annotations

import gzip
import pickle
import random
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.corpora.emergent import csv_records
from isogloss.backend.errors import CorpusError
from tests.corpora.emergent.emergent_reading import BROKEN, HUGE, Read, left, words

if TYPE_CHECKING:
    pass


@pytest.mark.parametrize(("row", "reason"), BROKEN)
def test_a_broken_row_of_integers_is_left_out_with_its_line(reading: Read, row: str, reason: str) -> None:
    corpus = reading(f"[0, 1]\n[2]\n{row}\n[1]\n{row}\n[2, 2]\n[0]\n", "mine.jsonl")
    assert words(corpus) == [["0", "1"], ["2"], ["1"], ["2", "2"], ["0"]]
    assert left(corpus) == [(3, reason), (5, reason)]
    assert corpus.report.reasons == ((reason.split(":")[0], 2),)
    assert {row.file for row in corpus.report.skipped} == {"mine.jsonl"}


@pytest.mark.parametrize(
    ("good", "row", "reason"),
    [
        ("4 1", "4 -1", "a negative id: -1"),
        ("4 1", "99999999999999999999", HUGE),
        ("4 1", "9999999999", f"{HUGE}: 9999999999"),
        ("4 1", "a 1", "not an integer: 'a'"),
        ("4 1", "1.5", "not an integer: '1.5'"),
        ("4 1", "01", "not an integer: '01'"),
        ("4 1", "٣", "not an integer: '٣'"),
        ("4 1", "[1] [2]", "not an integer: '1]'"),
        ("4 1", "[]", "an empty utterance"),
        ("4 1", "1\r2", "a CR within the row: two utterances, or one"),
        ("ba bu", "ba\rbu", "a CR within the row: two utterances, or one"),
        ("4 1", "1 2\r", ""),
        ("ba bu", "b\0a", "a NUL character"),
        ('"ba bu"', "[1]", "an array, not a string"),
        ('"ba bu"', '""', "an empty utterance"),
        ('"ba bu"', '" "', "an empty utterance"),
        ('"ba bu"', '"a\\ud800"', "half a character: \\ud800"),
        ('"ba bu"', '"a\\u0000"', "a NUL character: \\u0000"),
        ('["ba"]', "[1]", "not a string: 1"),
        ('["ba"]', '["ba", ""]', "an empty string among the symbols"),
        ('{"m": [1]}', "{}", "no field 'm'"),
        ('{"m": [1]}', '{"m": null}', "null, not an array"),
        ('{"m": [1]}', '{"m": [1], "m": [2]}', "the field 'm' 2 times"),
        ('{"m": "ba"}', '{"m": "ba", "m": "ba"}', "the field 'm' 2 times"),
        ('{"m": "ba"}', '{"n": {"m": 1, "m": 2}, "m": "ba", "x": 1, "x": {"m": 3}}', ""),
        ('{"m": [1]}', '{"m": [1]} {"m": [2]}', "not JSON: extra data at character 12"),
        ('{"m": [1]}', '{"m": [1.5]}', "not an integer: 1.5"),
        ('{"m": [1]}', "[1]", "an array, not an object"),
        ("n,message\n1,2", "3", "another number of cells than the header: 1, not 2"),
        ("n,message\n1,2", "3,4,5", "another number of cells than the header: 3, not 2"),
        ("n,message\n1,2", '3,"4', "a quote that is never closed"),
        ("n,message\n1,2", '3,"4"x"', "a quote that is never closed"),
        ("n,message\n1,2", '3,"4"x', "not a row of a table: ',' expected after '\"'"),
        ("n,message\n1,2", "3,", "an empty utterance"),
        ("n,message\n1,2", "3,x", "not an integer: 'x'"),
    ],
)
def test_a_broken_row_of_other_formats(reading: Read, good: str, row: str, reason: str) -> None:
    again = good.split("\n")[-1]
    first = good.count("\n") + 1
    corpus = reading(f"{good}\n{again}\n{again}\n{row}\n{again}\n{again}\n")
    if not reason:
        assert corpus.report.skipped_count == 0
        return
    assert left(corpus) == [(first + 3, reason)]
    assert corpus.utterances == 5


def test_rows_that_are_not_utf_8_are_left_out(reading: Read) -> None:
    corpus = reading("wa tok\nté\n".encode() + "caf\xe9 wa\n".encode("latin-1") + b"tok\r\n")
    assert words(corpus) == [["wa", "tok"], ["té"], ["tok"]]
    assert left(corpus) == [(3, "not UTF-8: byte 0xE9 at 4")]


def test_a_truncated_last_row_is_said_to_be(reading: Read) -> None:
    for text in ("[1, 2]\n[0]\n[1, 2", '{"m": [1, 2]}\n{"m": [0]}\n{"m": [1, 2'):
        corpus = reading(text)
        assert words(corpus) == [["1", "2"], ["0"]]
        assert left(corpus) == [(3, "cut off, since the file ends within this row")]
    assert words(reading("1 2\n0\n1 2")) == [["1", "2"], ["0"], ["1", "2"]]
    packed = gzip.compress(b"[1, 2]\n" * 100_000)
    with pytest.raises(CorpusError, match="damaged or cut off"):
        reading(packed[: len(packed) // 2])
    with pytest.raises(CorpusError, match="damaged or cut off"):
        reading(packed[:60] + b"\xff" * 40 + packed[100:])


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "The file is empty"),
        (b"\n \r\n", "The file is empty but for 2 blank lines"),
        (b"\xef\xbb\xbf", "The file is empty"),
        (gzip.compress(b"", mtime=0), "The file is empty"),
        ("1 2\n".encode("utf-16"), "UTF-16"),
        ("1 2\n".encode("utf-16-le"), "binary"),
        (random.Random(0).randbytes(5000), "binary"),
        (gzip.compress(random.Random(0).randbytes(5000), mtime=0), "binary"),
        (gzip.compress(gzip.compress(b"[1]\n", mtime=0), mtime=0), "gzip inside gzip"),
        (b"PK\x03\x04" + b"a" * 100, "zip archive"),
        (b"PAR1" + b"a" * 100, "Parquet"),
        (b"1 2\r3 4\r5 6\r", "CR alone"),
        (b"[1, 2]\r[3, 4]\r", "CR alone"),
        (b"1 2\r3 4", "CR alone"),
        (b"\x89PNG\r\n\x1a\n" + b"words and words " * 99, "This is a PNG image"),
        *((pickle.dumps([[3, 1, 4], [1, 5]], protocol), "This is a pickle") for protocol in range(6)),
        (b"[[1, 2], [3]]\n", "one JSON value"),
        (b"[\n[1, 2],\n[3]\n]\n", "one JSON value"),
        (b'[{"m": [1]}, {"m": [2]}]', "one JSON value"),
        (b'{"a": [1], "b": [2]}\n', r"x, line 1: Nothing says which field holds the utterances. Choose one of: 'a', 'b'"),
        (b'{"a": 1}\n', "Nothing says which field"),
        (b"[1.5]\n[true]\n", r"x, line 1: None of the 2 rows can be read; this one is not an integer: 1.5"),
        (b"[-1]\n", r"x, line 1: The only row cannot be read; it is a negative id"),
        ("é\né\n".encode("latin-1") * 3, "binary"),
        (
            b"caf\xe9 caf\xe9 wa tok ne pas le la les\n" * 3,
            "line 1: None of the 3 rows can be read; this one is not UTF-8: byte",
        ),
        (b"id,message\n", "There are no rows below the header"),
        (b"message,message\n3 1,4\n1,5\n", "x, line 1: 2 columns are called 'message'"),
        (b"message\n", None),
    ],
)
def test_a_file_that_cannot_be_read_is_one_sentence(reading: Read, content: bytes, problem: str | None) -> None:
    if problem is None:
        assert words(reading(content)) == [["message"]]
        return
    with pytest.raises(CorpusError, match=problem) as error:
        reading(content)
    assert str(error.value).startswith("x")
    assert "\n" not in str(error.value)


def test_an_open_quote_costs_its_own_row_only(reading: Read) -> None:
    rows = [f"{i},{i} {i}" for i in range(300)]
    rows[50] = '50,"50 50'
    rows[200] = '"2\n00","20 20"'
    corpus = reading("n,message\n" + "\n".join(rows) + "\n")
    assert left(corpus) == [(52, "a quote that is never closed")]
    assert words(corpus)[50] == ["51", "51"]
    assert words(corpus)[199] == ["20", "20"]
    assert corpus.utterances == 299
    assert csv_records.LONGEST == 100


def test_only_the_first_rows_left_out_are_listed(reading: Read) -> None:
    report = reading("[1]\n" * 1500 + "[-1]\n" * 1100 + "[]\n" * 3).report
    assert (len(report.skipped), report.more_skipped, report.skipped_count) == (1000, 103, 1103)
    assert report.reasons == (("a negative id", 1100), ("an empty utterance", 3))


def test_empty_utterances_are_left_out_alone_or_beside_other_broken_rows(reading: Read) -> None:
    empty = [(2, "an empty utterance"), (4, "an empty utterance")]
    for text in (
        "[1]\n[]\n[2, 0]\n[]\n[0]\n",
        "1\n[]\n2 0\n[]\n0\n",
        '{"m": [1]}\n{"m": []}\n{"m": [2, 0]}\n{"m": []}\n{"m": [0]}\n',
    ):
        corpus = reading(text)
        assert words(corpus) == [["1"], ["2", "0"], ["0"]]
        assert left(corpus) == empty
    assert left(reading("[1]\n[]\n[2]\n[]\n[-3]\n[0]\n")) == [*empty, (5, "a negative id: -3")]


@pytest.mark.parametrize(
    "good", ["[1]", "4 1", "ba bu", '"ba bu"', '["ba"]', '{"m": [1]}', "n,message\n1,2", "\nn,message\n1,2", "message\n2"]
)
@pytest.mark.parametrize("blank", ["", " ", "\t "])
def test_blank_lines_are_counted_and_no_broken_rows(reading: Read, good: str, blank: str) -> None:
    """Between rows and at the end, alone or beside a broken row, of which alone the share of lost rows is."""
    again = good.split("\n")[-1]
    plain, spaced = reading(f"{good}\n{again}\n"), reading(f"{good}\n{blank}\n{again}\n{blank}\n{blank}\n")
    assert words(spaced) == words(plain)
    assert (left(spaced), spaced.report.reasons, spaced.report.losses) == ([], (), ())
    assert spaced.report.blank == 3
    loss = reading(f"{good}\n{blank}\n{again}\n\0\n{blank}\n").report.losses
    assert [(each.lost, each.rows, each.reasons[0][0]) for each in loss] == [(1, 3, "a NUL character")]
