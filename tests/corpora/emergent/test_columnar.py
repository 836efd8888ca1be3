"""Parquet and Arrow files are the same corpora as the JSON Lines of their rows, and what is broken in them is said."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from isogloss.backend.corpora.emergent.corpus import EmergentCorpus
from isogloss.backend.corpora.emergent.readers import InputFile, Options, look, read
from isogloss.backend.errors import CorpusError
from tests.corpora.emergent.emergent_reading import left, words

ROWS: list[list[int]] = [[3, 1, 4], [], [1], [5, 9, 2, 6], [0]]


def written(table: pa.Table, kind: str, path: Path, rows: int = 2) -> Path:
    """Write a table in batches of few rows."""
    match kind:
        case "Parquet":
            parquet.write_table(table, path, row_group_size=rows)
        case "Arrow file":
            with pa.OSFile(str(path), "wb") as raw, pa.ipc.new_file(raw, table.schema) as sink:
                sink.write_table(table, max_chunksize=rows)
        case _:
            with pa.OSFile(str(path), "wb") as raw, pa.ipc.new_stream(raw, table.schema) as sink:
                sink.write_table(table, max_chunksize=rows)
    return path


def reading(path: Path, **options: Any) -> EmergentCorpus:
    return read([InputFile(path.name, path)], Options(**options))


KINDS = ["Parquet", "Arrow file", "Arrow stream"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("type_", [pa.list_(pa.int64()), pa.large_list(pa.uint8()), pa.list_(pa.int32())])
def test_lists_of_integers_are_the_corpus_of_their_json_lines(tmp_path: Path, kind: str, type_: pa.DataType) -> None:
    table = pa.table({"message": pa.array(ROWS, type_), "accuracy": pa.array([0.5] * 5)})
    found = reading(written(table, kind, tmp_path / "messages.any"))
    (tmp_path / "same.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    same = reading(tmp_path / "same.jsonl")
    assert words(found) == words(same) == [[str(symbol) for symbol in row] for row in ROWS if row]
    assert (found.ids.tolist(), found.starts.tolist()) == (same.ids.tolist(), same.starts.tolist())
    assert left(found) == left(same) == [(2, "an empty utterance")]
    assert found.report.format == f"{kind.split()[0]}, column 'message'"


@pytest.mark.parametrize("kind", KINDS)
def test_words_and_what_is_missing(tmp_path: Path, kind: str) -> None:
    table = pa.table({"text": ["wa tok", None, "wa"], "words": [["a", "b"], ["b"], None]})
    path = written(table, kind, tmp_path / "words")
    spoken = reading(path, field="text")
    assert (words(spoken), left(spoken)) == ([["wa", "tok"], ["wa"]], [(2, "an empty utterance")])
    listed = reading(path, field="words")
    assert (words(listed), left(listed)) == ([["a", "b"], ["b"]], [(3, "an empty utterance")])


def test_many_rows_in_small_and_large_batches(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    rows = [random.integers(0, 50, size).tolist() for size in random.integers(1, 9, 25_000)]
    table = pa.table({"ids": rows})
    for size in (7_000, 25_000):
        found = reading(written(table, "Arrow stream", tmp_path / "many.arrow", size))
        assert found.utterances == 25_000
        assert words(found) == [[str(symbol) for symbol in row] for row in rows]


def test_what_datasets_saves_is_read(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    datasets.Dataset.from_dict({"message": [[1, 2], [3]], "label": [0, 1]}).save_to_disk(str(tmp_path / "saved"))
    (path,) = (tmp_path / "saved").glob("*.arrow")
    assert words(reading(path)) == [["1", "2"], ["3"]]


def test_a_column_is_chosen_or_asked_for(tmp_path: Path) -> None:
    path = written(pa.table({"sender": [[1]], "receiver": [[2]], "score": [0.5]}), "Parquet", tmp_path / "two.parquet")
    assert look(InputFile(path.name, path)).fields == ("sender", "receiver")
    with pytest.raises(CorpusError, match=r"which column holds the utterances.*'sender', 'receiver'"):
        reading(path)
    assert words(reading(path, field="receiver")) == [["2"]]
    with pytest.raises(CorpusError, match=r"no field 'reciever'. Did you mean 'receiver'"):
        reading(path, field="reciever")


def test_negative_ids_are_left_out_and_said(tmp_path: Path) -> None:
    path = written(pa.table({"ids": [[1, -1], [2], [2**40]]}), "Parquet", tmp_path / "bad.parquet")
    assert left(reading(path)) == [(1, "a negative id: -1"), (3, "an id above 2,147,483,647: 1099511627776")]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (pa.table({"x": [0.5], "y": [True]}), r"No column holds lists.*'x' \(double\), 'y' \(bool\)"),
        (pa.table({"x": [[0.5]]}), "No column holds lists"),
        (pa.table({"x": pa.array([], pa.list_(pa.int64()))}), "The file is empty"),
        (pa.table({"x": pa.array([[], []], pa.list_(pa.int64()))}), "None of the 2 rows can be read.*an empty utterance"),
        (pa.Table.from_arrays([pa.array([[1]]), pa.array([[1]])], ["x", "x"]), "2 columns are called 'x'"),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_tables_without_utterances_are_told(tmp_path: Path, kind: str, table: pa.Table, said: str) -> None:
    with pytest.raises(CorpusError, match=said):
        reading(written(table, kind, tmp_path / "file"))


@pytest.mark.parametrize("kind", KINDS)
def test_damage_is_one_sentence_wherever_it_is(tmp_path: Path, kind: str) -> None:
    whole = written(pa.table({"ids": [[1, 2, 3]] * 400}), kind, tmp_path / "whole", 100).read_bytes()
    random = np.random.default_rng(1)
    read_whole = 0
    for cut in [6, 9, len(whole) // 2, len(whole) - 5, *(int(place) for place in random.integers(6, len(whole), 40))]:
        path = tmp_path / "broken"
        changed = bytearray(whole)
        changed[cut % len(whole)] ^= 0xFF
        for content in (whole[:cut], bytes(changed)):
            path.write_bytes(content)
            with suppress(CorpusError):
                reading(path)
                read_whole += 1
    assert read_whole < 80  # some bytes are of no account; most are
