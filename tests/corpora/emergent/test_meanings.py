"""Meanings beside utterances: from columns, or from a file of their own; paired with what is kept, whatever is left out."""

from __future__ import annotations

import gzip
import json
import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.emergent import meanings
from isogloss.backend.corpora.emergent.layouts import Options
from isogloss.backend.corpora.emergent.readers import InputFile, read
from isogloss.backend.corpora.shared import apart
from isogloss.backend.errors import CorpusError, StoreError
from tests.corpora.emergent.emergent_reading import left, words

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.corpora.emergent.corpus import EmergentCorpus


def written(folder: Path, name: str, text: str) -> InputFile:
    (folder / name).write_text(text)
    return InputFile(name, folder / name)


def told(corpus: EmergentCorpus) -> list[tuple[str, ...]]:
    assert corpus.meanings is not None
    return [corpus.meanings.row(place) for place in range(corpus.utterances)]


JSONL = """{"message": [1, 2], "meaning": [0, 3], "round": 1}
{"message": [], "meaning": [7, 7], "round": 2}

{"message": [1, -2], "meaning": [8, 8], "round": 3}
{"message": [5, 2], "meaning": [2, 3.0], "round": 4}
"""


def test_a_field_is_the_meaning_where_it_is_chosen_and_what_is_not_read_is_named(tmp_path: Path) -> None:
    file = written(tmp_path, "a.jsonl", JSONL)
    unasked = read([file])
    assert unasked.meanings is None
    assert unasked.report.unread == ("meaning", "round")
    assert "fields 'meaning', 'round'. By name, 'meaning' may be what" in unasked.report.warnings[0]
    corpus = read([file], Options(meaning=("meaning",)))
    assert told(corpus) == [("0", "3"), ("2", "3")]
    assert words(corpus) == [["1", "2"], ["5", "2"]]
    assert left(corpus) == [(2, "an empty utterance"), (4, "a negative id: -2")]
    assert corpus.report.warnings == (
        "Not read, since neither utterances nor meanings: field 'round'.",
        "2 meanings are left out with the rows that cannot be read.",
    )
    assert corpus.meanings is not None
    assert corpus.meanings.names == ("meaning 1", "meaning 2")
    assert told(read([file], Options(meaning=("round", "meaning")))) == [("1", "0", "3"), ("4", "2", "3")]


def test_columns_of_a_table_keep_their_names_and_blanks_within_values(tmp_path: Path) -> None:
    text = 'note,message,colour,shape\n\nx,1 2,light blue,round\nbroken,row\ny,,red,round\nz,3 4,red,"a, b"\n'
    corpus = read([written(tmp_path, "a.csv", text)], Options(meaning=("shape", "colour")))
    assert told(corpus) == [("round", "light blue"), ("a, b", "red")]
    assert corpus.meanings is not None
    assert corpus.meanings.names == ("shape", "colour")
    assert (4, "another number of cells than the header: 2, not 4") in left(corpus)
    twice = written(tmp_path, "b.csv", "message,c,c\n1,2,3\n4,5,6\n")
    with pytest.raises(CorpusError, match="2 columns are called 'c'"):
        read([twice], Options(meaning=("c",)))


@pytest.mark.parametrize("container", ["Parquet", "Arrow"])
def test_columns_of_any_kind_are_read_from_parquet_and_arrow(tmp_path: Path, container: str) -> None:
    table = pa.table(
        {
            "message": [[1, 2], [], None, [3, 3]],
            "size": [1, 2, 3, 4],
            "object": [{"b": "x", "a": 0.5}, None, None, {"b": "y", "a": 2.0}],
            "vector": [[0.5, 1.0], [1.0, 2.0], [1.0, 1.0], [2.0, float("nan")]],
        }
    )
    path = tmp_path / "p"
    if container == "Parquet":
        pq.write_table(table, path)
    else:
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as stream:
            stream.write_table(table)
    file = InputFile("p", path)
    assert read([file]).report.unread == ("size", "object", "vector")
    assert told(read([file], Options(meaning=("size",)))) == [("1",), ("4",)]
    corpus = read([file], Options(meaning=("object", "size")))
    assert told(corpus) == [("0.5", "x", "1"), ("2", "y", "4")]
    with pytest.raises(CorpusError, match="p, line 4: Its meaning cannot be read: a number that is not finite"):
        read([file], Options(meaning=("vector",)))
    plain = written(tmp_path, "m.txt", "1 2\n\n\n3 3\n")
    assert told(read([plain], Options(meaning=("size",)), meanings=file)) == [("1",), ("4",)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("red,round\nblue,round\nred,square\n", [("red", "round"), ("red", "square")]),
        ("red round\nblue round\nred square", [("red", "round"), ("red", "square")]),
        ("colour;shape\nred;round\nblue;round\nred;square\n\n", [("red", "round"), ("red", "square")]),
        ("[1, 2]\n[3, 1]\n[4, 4]\n", [("1", "2"), ("4", "4")]),
        ("[1 2]\n[3 1]\n[4 4]\n", [("1", "2"), ("4", "4")]),
        ("['a', 'b c']\n['d', 'e']\n['f', 'g']\n", [("a", "b c"), ("f", "g")]),
        ('{"s": 1, "c": "x"}\n{"s": 1, "c": "x"}\n{"c": true, "s": 2}\n', [("x", "1"), ("true", "2")]),
    ],
)
def test_a_second_file_has_a_meaning_a_row(tmp_path: Path, text: str, wanted: list[tuple[str, ...]]) -> None:
    corpus = read([written(tmp_path, "m.txt", "1 2\n\n3 1\n")], meanings=written(tmp_path, "told.txt", text))
    assert told(corpus) == wanted
    assert left(corpus) == [(2, "an empty utterance: it has a meaning")]
    assert corpus.report.blank == 0
    assert [loss.lost for loss in corpus.report.losses] == [1]


def test_an_empty_message_at_the_end_is_told_too_and_names_stand_in_a_header(tmp_path: Path) -> None:
    meant = written(tmp_path, "told.csv", "colour,shape\nred,round\nblue,round\nred,square\n")
    corpus = read([written(tmp_path, "m.txt", "1 2\n3 1\n\n")], Options(meaning=("shape",)), meanings=meant)
    assert told(corpus) == [("round",), ("round",)]
    assert left(corpus) == [(3, "an empty utterance: it has a meaning")]
    whole = read([written(tmp_path, "n.txt", "1 2\n3 1\n1 1\n")], meanings=meant)
    assert whole.meanings is not None
    assert whole.meanings.names == ("colour", "shape")
    assert whole.report.warnings == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("red\nblue\n", "told.txt: It has 2 rows of meanings, m.txt 3 rows of utterances."),
        ("red\nred\nblue\ngreen\n", "told.txt: It has 4 rows of meanings, m.txt 3 rows of utterances."),
        ("5\n1\n2\n3\n", "told.txt: It has 4 rows of meanings, m.txt 3 rows of utterances."),
        ("a b\na\na b\n", "told.txt, line 2: Its meaning has 1 attribute, the first one's 2."),
        ("a b\n\na b\n", "told.txt, line 2: Its meaning cannot be read: a value is missing."),
        ('{"a": 1}\n{"b": 1}\n{"a": 1}\n', "told.txt, line 2: Its meaning has the attributes 'b', the first one's 'a'."),
        ("[1]\n[[1]]\n[1]\n", "told.txt, line 2: Its meaning cannot be read: lists or objects within it."),
        ("[]\n[]\n[]\n", "told.txt, line 1: Its meaning has 0 attributes, not 1 to 1,000."),
        ('["\\ud800"]\n[1]\n[1]\n', "told.txt, line 1: Its meaning cannot be read: a value is no text of 1 to 1,000"),
        (f"{'x' * 1001}\na\na\n", "told.txt, line 1: Its meaning cannot be read: a value is no text of 1 to 1,000"),
        (f"a,{'x' * 200_000}\nb,c\nd,e\n", "told.txt, line 1: Its meaning cannot be read: a value is no text of 1 to 1,000"),
        (f"[1]\n{'[' * 100_000}\n[1]\n", "told.txt, line 2: Its meaning cannot be read: brackets that are no list or object"),
        (f"{json.dumps(list(range(1001)))}\n[1]\n[1]\n", "told.txt, line 1: Its meaning has 1,001 attributes"),
    ],
)
def test_what_is_no_meaning_is_said_with_its_file_and_line(tmp_path: Path, text: str, said: str) -> None:
    utterances = written(tmp_path, "m.txt", "1 2\n2 2\n3 1\n")
    with pytest.raises(CorpusError, match=re.escape(said)):
        read([utterances], meanings=written(tmp_path, "told.txt", text))


def test_a_column_that_is_not_there_is_said(tmp_path: Path) -> None:
    file = written(tmp_path, "a.jsonl", JSONL)
    with pytest.raises(CorpusError, match=r"There is no field .meanin. beside the utterances\. Did you mean .meaning."):
        read([file], Options(meaning=("meanin",)))
    with pytest.raises(CorpusError, match="There is no field 'message' beside the utterances"):
        read([file], Options(meaning=("message",)))
    with pytest.raises(CorpusError, match="Give the meanings as a file of their own"):
        read([written(tmp_path, "m.txt", "1 2\n")], Options(meaning=("x",)))


@given(
    st.lists(st.tuples(st.lists(st.integers(-1, 3), max_size=3), st.integers(0, 9), st.text("ab ,\"'", max_size=3)), min_size=1)
)
def test_a_meaning_stays_with_its_utterance_whatever_is_left_out(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[list[int], int, str]]
) -> None:
    folder = tmp_path_factory.mktemp("files")
    kept = [(message, place, said) for place, (message, _, said) in enumerate(rows) if message and min(message) >= 0]
    if not kept:
        return
    objects = "".join(json.dumps({"message": m, "i": i, "said": f"<{s}>"}) + "\n" for i, (m, _, s) in enumerate(rows))
    corpus = read([written(folder, "a.jsonl", objects)], Options(field="message", meaning=("i", "said")))
    assert told(corpus) == [(str(i), f"<{s}>".strip()) for _, i, s in kept]
    plain = written(folder, "m.txt", "".join(" ".join(map(str, m)) + "\n" for m, *_ in rows))
    numbers = written(folder, "told.jsonl", "".join(f"[{i}, {n}]\n" for i, (_, n, _) in enumerate(rows)))
    again = read([plain], Options(kind="lines", symbols="integers"), meanings=numbers)
    assert [row[0] for row in told(again)] == [str(i) for _, i, _ in kept]
    assert again.utterances == len(kept)


def test_files_that_are_one_corpus_have_their_meanings_one_after_the_other(tmp_path: Path) -> None:
    files = [written(tmp_path, "a.jsonl", "[1]\n[]\n[2]\n"), written(tmp_path, "b.jsonl", "\n[3]\n[4]\n")]
    (tmp_path / "told.gz").write_bytes(gzip.compress(b"a\nb\nc\nd\ne\n"))
    corpus = read(files, meanings=InputFile("told.gz", tmp_path / "told.gz"))
    assert told(corpus) == [("a",), ("c",), ("d",), ("e",)]


def test_a_child_process_brings_them(tmp_path: Path) -> None:
    corpus = apart.read(read, [written(tmp_path, "a.jsonl", JSONL)], Options(meaning=("meaning",)))
    assert told(corpus) == [("0", "3"), ("2", "3")]


def test_they_are_kept_beside_the_utterances_and_may_come_later(tmp_path: Path, workspace: Path) -> None:
    file = written(tmp_path, "a.jsonl", JSONL)
    without = emergent_library.keep(read([file]), "Mine", workspace)
    assert (without.attributes, without.meanings_id) == ((), None)
    corpus = read([file], Options(meaning=("meaning",)))
    entry = emergent_library.keep(corpus, "Other", workspace)
    assert corpus.meanings is not None
    assert (entry.id, entry.name, entry.attributes) == (without.id, "Mine", ("meaning 1", "meaning 2"))
    assert entry.meanings_id == corpus.meanings.id
    assert entry.warnings == corpus.report.warnings  # of what is not read now
    assert emergent_library.entries([workspace]) == [entry]
    assert told(emergent_library.load(entry.id, [workspace])) == told(corpus)
    assert emergent_library.keep(read([file]), "Mine", workspace) == entry  # without them: nothing is lost
    with pytest.raises(CorpusError, match="saved as 'Mine' with other meanings"):
        emergent_library.keep(read([file], Options(meaning=("round",))), "Mine", workspace)
    path = workspace / "emergent" / entry.id / meanings.TABLE
    path.write_bytes(path.read_bytes()[:-9])
    assert "damaged" in emergent_library.problems([workspace])[0]
    with pytest.raises(StoreError, match="damaged on disk"):
        emergent_library.load(entry.id, [workspace])
    emergent_library.remove(entry.id, workspace)
    assert not path.parent.exists()


def test_values_are_numbered_and_are_numbers_where_all_are() -> None:
    def of(*columns: list[str]) -> meanings.Meanings:
        names = tuple(map(str, range(len(columns))))
        return meanings.of_columns(names, [pa.array(column, pa.string()) for column in columns])

    def listed(found: Any) -> Any:
        return None if found is None else found.tolist()

    mixed = of(["1", "2.5", "1"], ["a", "a", "b"])
    assert mixed.codes().tolist() == [[0, 0], [1, 0], [0, 1]]
    assert listed(mixed.numbers()) is None
    assert listed(of(["1", "-2.5e3"]).numbers()) == [[1.0], [-2500.0]]
    assert listed(of(["1", "nan"]).numbers()) is None
    assert mixed.id != of(["1", "2.5", "1"], ["a", "b", "b"]).id
    with pytest.raises(ValueError, match="every utterance has a value"):
        of([None])  # type: ignore[list-item]
