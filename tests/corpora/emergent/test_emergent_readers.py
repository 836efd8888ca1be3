"""Emergent-language files of every format: what is read, what can be chosen, what is doubted or refused."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.corpora.emergent import numbering as emergent_numbering
from isogloss.backend.corpora.emergent.readers import InputFile, Options, look, read
from isogloss.backend.errors import CorpusError
from tests.corpora.emergent.emergent_reading import Read, left, words

if TYPE_CHECKING:
    from pathlib import Path

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


def test_rows_end_at_line_feeds_only(reading: Read) -> None:
    text = "wa\u2028tok\u0085wa\x0bx\n" + "tok\n"
    assert words(reading(text)) == [["wa", "tok", "wa", "x"], ["tok"]]
    assert words(reading('["wa\u2028tok"]\n["é"]\n')) == [["wa\u2028tok"], ["é"]]


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


def test_too_much_is_refused(reading: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emergent_numbering, "MAX_VOCABULARY", 3)
    for text in ("a b c d\n", "1 2 3 4\n", "1 2 3 2000000000\n"):
        with pytest.raises(CorpusError, match="more than 3 different symbols"):
            reading(text)
    assert reading("a b\nc\n").vocabulary_size == 3


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


def test_fields_and_columns_that_are_not_read_are_named(tmp_path: Path) -> None:
    said = {
        "a.jsonl": '{"message": [3, 1], "sender_input": [0, 2]}\n{"message": [1], "round": 2}\n',
        "b.csv": "n,message\n1,wa tok\n",
        "c.jsonl": '{"message": [3, 1]}\n',
    }
    found = {}
    for name, text in said.items():
        (tmp_path / name).write_text(text)
        found[name] = read([InputFile(name, tmp_path / name)]).report.warnings
    assert found == {
        "a.jsonl": (
            "Not read, since not the utterances: fields 'sender_input', 'round'. By name, 'sender_input' may be what the "
            "utterances mean: choose the meaning to measure that.",
        ),
        "b.csv": ("Not read, since not the utterances: column 'n'.",),
        "c.jsonl": (),
    }
