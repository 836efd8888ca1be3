"""Emergent-language files of every format; what each broken row comes to, by name, line and count."""

from __future__ import annotations

import gzip
import json
import pickle
import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from backend.corpora import emergent_lines, emergent_numbering, emergent_table
from backend.corpora.emergent_layout import Layout
from backend.corpora.emergent_lines import BrokenRowError
from backend.corpora.emergent_readers import InputFile, Options, look, read
from backend.corpora.emergent_rows import integers, utterance
from backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from backend.corpora.emergent import EmergentCorpus

Read = "Callable[..., EmergentCorpus]"


@pytest.fixture
def reading(tmp_path: Path) -> Callable[..., EmergentCorpus]:
    """Reads text or bytes as a file of any name."""

    def run(content: str | bytes, name: str = "x", **options: Any) -> EmergentCorpus:
        path = tmp_path / "file"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read([InputFile(name, path)], Options(**options))

    return run


def words(corpus: EmergentCorpus) -> list[list[str]]:
    return [corpus.utterance(i) for i in range(corpus.utterances)]


def left(corpus: EmergentCorpus) -> list[tuple[int, str]]:
    return [(row.line, row.reason) for row in corpus.report.skipped]


ONE, TWO = ["3", "0", "3"], ["12"]
FORMATS = [
    ("[3, 0, 3]\n[12]\n", "JSON Lines of integer arrays", "integers"),
    ("[3,0,3]\n[12]", "JSON Lines of integer arrays", "integers"),
    ('["3","0","3"]\n["12"]\n', "JSON Lines of string arrays", "words"),
    ('"3 0 3"\n"12"\n', "JSON Lines of strings", "integers"),
    ('{"n": 1, "message": [3, 0, 3]}\n{"n": 2, "message": [12]}\n', "JSON Lines of objects, field 'message'", "integers"),
    ('{"n": 1, "message": "3 0 3"}\n{"message": "12", "n": 2}\n', "JSON Lines of objects, field 'message'", "integers"),
    ('{"n": "a", "out": [3, 0, 3]}\n{"n": "b", "out": [12]}\n', "JSON Lines of objects, field 'out'", "integers"),
    ("3 0 3\n12\n", "Integers, one utterance a line", "integers"),
    ("3\t0  3 \n 12", "Integers, one utterance a line", "integers"),
    ("3,0,3\n12\n", "Integers, one utterance a line", "integers"),
    ("id,message\na,3 0 3\nb,12\n", "CSV, column 'message'", "integers"),
    ('id,message\na,"[3, 0, 3]"\nb,[12]\n', "CSV, column 'message'", "integers"),
    (",Utterance\n0,[3 0 3]\n1,[12]\n", "CSV, column 'Utterance'", "integers"),
    ("message;n\n3 0 3;1\n12;2\n", "CSV, column 'message'", "integers"),
    ('n\tmessage\n"a\nb"\t3 0 3\n2\t12\n', "TSV, column 'message'", "integers"),
    ('"message"\n"3 0 3"\n"12"\n', "CSV, column 'message'", "integers"),
    ("n|message\n1|3 0 3\n2|12\n", "CSV, column 'message'", "integers"),
    ("3;0;3\n12\n", "Integers, one utterance a line", "integers"),
    ("messages\n3 0 3\n12\n", "CSV, column 'messages'", "integers"),
]


@pytest.mark.parametrize(("text", "format_", "symbols"), FORMATS)
@pytest.mark.parametrize("change", ["as it is", "BOM", "CRLF", "gzip", "name that lies"])
def test_formats(reading: Read, text: str, format_: str, symbols: str, change: str) -> None:
    data, name = text.encode(), "x"
    match change:
        case "BOM":
            data = b"\xef\xbb\xbf" + data
        case "CRLF":
            data = data.replace(b"\n", b"\r\n")
        case "gzip":
            data = gzip.compress(data)
        case "name that lies":
            name = "x.parquet.gz"
    corpus = reading(data, name)
    assert words(corpus) == [ONE, TWO]
    assert corpus.report.format == (f"{format_}, gzip" if change == "gzip" else format_)
    assert corpus.report.symbols == symbols
    assert corpus.report.skipped_count == 0


def test_words_and_characters(reading: Read) -> None:
    rows = ["wa  wa tok", "tok\u2028é wa", "ab"]
    lines, quoted = "\n".join(rows), "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    for text in (lines, quoted, "message,n\n" + "\n".join(f"{row},1" for row in rows)):
        corpus = reading(text)
        assert words(corpus) == [["wa", "wa", "tok"], ["tok", "é", "wa"], ["ab"]]
        assert corpus.vocabulary == ("wa", "tok", "é", "ab")
        assert words(reading(text, symbols="characters")) == [list(row) for row in rows]
    assert words(reading("12 3\n", symbols="characters")) == [["1", "2", " ", "3"]]
    assert reading("7 007\n", symbols="words").vocabulary == ("7", "007")


def test_lists_of_words_in_a_table_are_read_as_pandas_writes_them(reading: Read) -> None:
    text = """n,message\n1,"['wa', 'a b']"\n2,"['é' 'x']"\n3,"[""it's"", 'x']"\n4,[wa tok]\n5,[]\n6,"['', 'a']"\n"""
    corpus = reading(text)
    assert words(corpus) == [["wa", "a b"], ["é", "x"], ["it's", "x"], ["[wa", "tok]"]]
    assert left(corpus) == [(6, "an empty utterance"), (7, "an empty string among the symbols")]


def test_integers_are_dense_and_their_originals_are_kept(reading: Read) -> None:
    corpus = reading("[2147483647, 5]\n[5, 90]\n")
    assert corpus.ids.tolist() == [2, 0, 0, 1]
    assert corpus.vocabulary == ("5", "90", "2147483647")
    assert reading("[5, 90]\n[5]").ids.tolist() == [0, 1, 0]
    dense = reading("[1, 0]\n[2]\n")
    assert (dense.ids.tolist(), dense.vocabulary) == ([1, 0, 2], None)


HUGE = "an id above 2,147,483,647"
BROKEN: list[tuple[str, str]] = [
    ("[1, -7]", "a negative id: -7"),
    ("[2147483648]", f"{HUGE}: 2147483648"),
    (f"[{'9' * 30}]", f"{HUGE}: {'9' * 30}"),
    (f"[{'9' * 5000}]", HUGE),
    ("[]", "an empty utterance"),
    ("", "an empty utterance"),
    ("  \t", "an empty utterance"),
    ("[true]", "not an integer: true"),
    ("[1, [2]]", "a nested array"),
    ("[" * 100_000, "nested too deeply"),
    ('[{"a": 1}]', "an object within an array"),
    ("[1.0]", "not an integer: 1.0"),
    ("[1e3]", "not an integer: 1000.0"),
    ("[NaN]", "not an integer: NaN"),
    ("[null]", "not an integer: null"),
    ('["a"]', 'not an integer: "a"'),
    ('"1 2"', "a string, not an array"),
    ('{"a": [1]}', "an object, not an array"),
    ("null", "null, not an array"),
    ("12", "a number, not an array"),
    ("[1, 2", "not JSON: expecting ',' delimiter at character 6"),
    ("[1], [2]", "not JSON: extra data at character 4"),
    ('[1],"ids":[2]', "not JSON: extra data at character 4"),
    ('[1],"other":[2]', "not JSON: extra data at character 4"),
    ('[1]} {"ids":[2]', "not JSON: extra data at character 4"),
    ("[007]", "not JSON: expecting ',' delimiter at character 3"),
    ("1 2 3", "not JSON: extra data at character 3"),
]


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
        ("ba bu", " ", "an empty utterance"),
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
        ("n,message\n1,2", "", "an empty utterance"),
        ("\nn,message\n1,2", " ", "an empty utterance"),
        ("message\n2", "", "an empty utterance"),
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


def test_rows_end_at_line_feeds_only(reading: Read) -> None:
    text = "wa\u2028tok\u0085wa\x0bx\n" + "tok\n"
    assert words(reading(text)) == [["wa", "tok", "wa", "x"], ["tok"]]
    assert words(reading('["wa\u2028tok"]\n["é"]\n')) == [["wa\u2028tok"], ["é"]]


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


def test_gzip_expands_to_a_cap(reading: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emergent_lines, "FREE_BYTES", 1 << 16)
    bomb = gzip.compress(b"[1, 2, 3]\n" * 1_000_000)
    with pytest.raises(CorpusError, match="expands to more than"):
        reading(bomb)
    plain = b"".join(b"[%d, %d]\n" % (i, i * i) for i in range(40_000))
    assert reading(gzip.compress(plain)).utterances == 40_000


@pytest.mark.parametrize("row", [b"[1, 2]", b"9" * 90])
def test_a_very_long_row_is_left_out_without_being_held(reading: Read, monkeypatch: pytest.MonkeyPatch, row: bytes) -> None:
    monkeypatch.setattr(emergent_lines, "BLOCK", 16)
    monkeypatch.setattr(emergent_lines, "MAX_ROW", 64)
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
    monkeypatch.setattr(emergent_lines, "BLOCK", 16)
    monkeypatch.setattr(emergent_lines, "MAX_ROW", 64)
    corpus = reading("a b\n" + "a" * length + "\nb\n")
    assert corpus.utterances == (2 if length > 64 else 3)


def test_blocks_cut_rows_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x"
    path.write_bytes("\ufeff[1, 2]\r\n\n[3]\né\r\nlast".encode())
    for size in range(1, 40):
        monkeypatch.setattr(emergent_lines, "BLOCK", size)
        found = list(emergent_lines.blocks(InputFile("x", path)))
        assert [row for block in found for row in block.rows] == ["[1, 2]", "", "[3]", "é", "last"]
        assert [line for block in found for line in block.lines] == [1, 2, 3, 4, 5]
        assert [block.cut for block in found] == [False] * (len(found) - 1) + [True]


def test_the_majority_says_what_a_file_is_and_the_user_may_say_otherwise(reading: Read) -> None:
    mixed = "[1]\n[2]\nba bu\n[3]\n"
    assert (reading(mixed).utterances, reading(mixed).report.skipped_count) == (3, 1)
    assert words(reading(mixed, kind="lines", symbols="words"))[2] == ["ba", "bu"]
    numbers = "1 2\n3\nba\n"
    assert left(reading(numbers)) == [(3, "not an integer: 'ba'")]
    assert words(reading(numbers, symbols="words"))[2] == ["ba"]
    unnamed = "speaker,said\nx,ba bu\ny,bi\n"
    assert reading(unnamed).report.format == "Words, one utterance a line"
    assert words(reading(unnamed, kind="table", field="said")) == [["ba", "bu"], ["bi"]]
    assert words(reading(unnamed, field="said")) == [["ba", "bu"], ["bi"]]
    assert reading("hello, world\nfoo, bar\nno more\n").report.format == "Words, one utterance a line"
    with pytest.raises(CorpusError, match=r"no field 'sad'. Did you mean 'said'"):
        reading(unnamed, kind="table", field="sad")


def test_a_header_is_known_above_rows_half_of_which_are_ragged(reading: Read) -> None:
    """Taken for rows of integers, the numbers in the other columns would be tokens."""
    corpus = reading("id,message\n1,3 1 4\n2\n3,1 5,9\n4,2 6\n")
    assert words(corpus) == [["3", "1", "4"], ["2", "6"]]
    assert [line for line, _ in left(corpus)] == [3, 4]


def test_look_says_what_can_be_chosen(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text('{"a": [1], "b": "x", "n": 1}\n{"a": [2], "c": [1]}\n')
    layout = look(InputFile("x", path))
    assert (layout.kind, layout.field, layout.fields) == ("objects", None, ("a", "b", "n", "c"))
    assert look(InputFile("x", path), Options(field="b")).symbols == "words"


def test_an_open_quote_costs_its_own_row_only(reading: Read) -> None:
    rows = [f"{i},{i} {i}" for i in range(300)]
    rows[50] = '50,"50 50'
    rows[200] = '"2\n00","20 20"'
    corpus = reading("n,message\n" + "\n".join(rows) + "\n")
    assert left(corpus) == [(52, "a quote that is never closed")]
    assert words(corpus)[50] == ["51", "51"]
    assert words(corpus)[199] == ["20", "20"]
    assert corpus.utterances == 299
    assert emergent_table.LONGEST == 100


def test_files_are_one_corpus_where_they_hold_the_same_kind(tmp_path: Path) -> None:
    for name, text in (("a", "[7, 1]\n"), ("b", "1\n[\n9 7\n"), ("c", "ba bu\n")):
        (tmp_path / name).write_text(text)
    a, b, c = (InputFile(name, tmp_path / name) for name in "abc")
    corpus = read([a, b])
    assert words(corpus) == [["7", "1"], ["1"], ["9", "7"]]
    assert corpus.report.format == "JSON Lines of integer arrays and Integers, one utterance a line"
    assert [(row.file, row.line) for row in corpus.report.skipped] == [("b", 2)]
    with pytest.raises(CorpusError, match="c: It holds words, but a integers"):
        read([a, c])
    with pytest.raises(CorpusError, match="No file"):
        read([])


def test_only_the_first_rows_left_out_are_listed(reading: Read) -> None:
    report = reading("[1]\n" * 1500 + "[-1]\n" * 1100 + "[]\n" * 3).report
    assert (len(report.skipped), report.more_skipped, report.skipped_count) == (1000, 103, 1103)
    assert report.reasons == (("a negative id", 1100), ("an empty utterance", 3))


def test_empty_utterances_are_left_out_alone_or_beside_other_broken_rows(reading: Read) -> None:
    empty = [(2, "an empty utterance"), (4, "an empty utterance")]
    for text in ("[1]\n[]\n[2, 0]\n\n[0]\n", "1\n\n2 0\n\n0\n", '{"m": [1]}\n\n{"m": [2, 0]}\n\n{"m": [0]}\n'):
        corpus = reading(text)
        assert words(corpus) == [["1"], ["2", "0"], ["0"]]
        assert left(corpus) == empty
    assert left(reading("[1]\n[]\n[2]\n\n[-3]\n[0]\n")) == [*empty, (5, "a negative id: -3")]


def test_too_much_is_refused(reading: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emergent_numbering, "MAX_VOCABULARY", 3)
    for text in ("a b c d\n", "1 2 3 4\n", "1 2 3 2000000000\n"):
        with pytest.raises(CorpusError, match="more than 3 different symbols"):
            reading(text)
    assert reading("a b\nc\n").vocabulary_size == 3
    monkeypatch.setattr(emergent_numbering, "MAX_CHARACTERS", 10)
    with pytest.raises(CorpusError, match="more than 10 characters of symbols"):
        reading("abcdef ghijk\n")
    monkeypatch.setattr(emergent_numbering, "MAX_TOKENS", 4)
    with pytest.raises(CorpusError, match="tokens"):
        reading("1 1 1 1 1\n")


def test_damaged_symbols_are_warned_of(reading: Read) -> None:
    (warning,) = reading("ca\ufffd ba\nba\n").report.warnings
    assert "1 symbols hold the replacement character" in warning


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("who,said\nx,ba bu\ny,bi\n", "Each row has a comma: if this is a table, choose CSV as its format"),
        ("a|b|c\nwa|tok|na\n", "Each row has 2 bars: if"),
        ("hello, world\nno more\n", None),
        ("wa, tok\n", None),
        ("wa tok\nna\n", None),
        ("1,2\n3,4\n", None),
    ],
)
def test_words_that_may_be_a_table_are_warned_of(reading: Read, text: str, doubt: str | None) -> None:
    warnings = reading(text).report.warnings
    assert [warning[: len(doubt or "")] for warning in warnings] == ([doubt] if doubt else [])
    assert reading(text, kind="lines").report.warnings == ()


def test_progress_goes_to_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emergent_lines, "BLOCK", 1000)
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
