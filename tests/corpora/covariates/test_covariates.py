"""Tables of covariates: what is read, what is left out and said, and every broken file as one sentence with its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from isogloss.backend.corpora.covariates import reader
from isogloss.backend.corpora.shared.inputs import InputFile
from isogloss.backend.errors import CorpusError, StoreError

if TYPE_CHECKING:
    from pathlib import Path


def test_numbers_by_language_with_gaps_names_and_other_separators() -> None:
    found = reader.read("﻿size;language;speakers\n1.5;deu_Latn;90\n;Finnish;NA\n2e3;zho_Hans;1000\n\n".encode(), "a.csv")
    assert found.columns == {"size": {"de": 1.5, "zh": 2000.0}, "speakers": {"de": 90.0, "zh": 1000.0}}
    assert found.languages == ["de", "zh"]
    assert found.warnings == ()


def test_text_columns_and_unknown_languages_are_left_out_and_said() -> None:
    found = reader.read(b"language,size,family\nde,1,Germanic\nxxq,2,None\nen,3,Germanic\n", "a.csv")
    assert found.columns == {"size": {"de": 1.0, "en": 3.0}}
    assert found.warnings == (
        "Column 'family' is left out: 'Germanic' in line 2 is no number.",
        "1 row is left out: 'xxq' in line 3 is no known language.",
    )


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", r"a\.csv: The table is empty"),
        (b"language,size\n", "has no row of numbers"),
        (b"language\nde\n", "has no row of numbers"),
        (b"language,size\nde,1\nde,2\n", r"a\.csv, line 3: de is there twice, first in line 2"),
        (b"language,size\nde,1\nen,2,3\n", r"a\.csv, line 3: The row has 3 fields, but the first line 2"),
        (b"language,size,size\nde,1,2\n", "two columns called 'size'"),
        (b"language,size\nde,\xff\n", r"a\.csv, line 2: The file is not UTF-8"),
        (b"language,name\nde,German\n", r"a\.csv, line 2: No column of the table holds numbers alone: 'German' is none"),
        (b"language,size\nde,inf\n", r"a\.csv, line 2: No column of the table holds numbers alone: 'inf' is none"),
        (b'language,size\nen,2\nde,"1\n\nfi,2\n', r"a\.csv, line 3: The row cannot be parsed"),
    ],
)
def test_a_broken_table_is_one_sentence(content: bytes, sentence: str) -> None:
    with pytest.raises(CorpusError, match=sentence):
        reader.read(content, "a.csv")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\xef\xbb\xbf", r"a\.csv: The table is empty\. Write a first line"),
        (b"\r\n \n;;\n", r"a\.csv: The table is empty"),
        ("language,size\nde,1\n".encode("utf-16"), r"a\.csv, line 1: The file is not UTF-8\. Save it as UTF-8"),
        (b"language,size\ndeu,1\nen,3\nde-DE,2\n", r"a\.csv, line 4: de is there twice, first in line 2"),
        (b"language,size\n\n\nGerman,1\nde_DE,2\n", r"a\.csv, line 5: de is there twice, first in line 4"),
        (b"language,size\nde,nan\nen,NaN\n", r"a\.csv: No cell of the table holds a number"),
        (b"language,size\nde,-inf\nen,3\n", r"a\.csv, line 2: No column of the table holds numbers alone: '-inf' is none"),
        (b"language,size\nde,1e999\n", r"line 2: No column of the table holds numbers alone: '1e999' is none"),
        (b"language,size\nde,1_000\n", r"line 2: No column of the table holds numbers alone: '1_000' is none"),
        (b'language;size\nde;"1,5"\n', r"line 2: No column of the table holds numbers alone: '1,5' is none\. Write numbers as"),
        (b"language,size\nxxq,1\nzzq,2\n", r"a\.csv: The table has no row of a known language: 'xxq' in line 2 is none"),
        (b"language,Language\nde,1\n", r"a\.csv, line 1: The table has two columns called 'Language'"),
        (b"\n\nlanguage," + b",".join(b"c%d" % i for i in range(201)) + b"\nde\n", r"line 3: The table has 201 columns"),
        (
            b"language,size\nde,\x00\n",
            "holds numbers alone: '\N{REPLACEMENT CHARACTER}' is none",
        ),
        (b'language,size\nde,"' + b"1" * 200_000 + b'"\n', r"a\.csv, line 2: A field is longer than 131,072"),
    ],
)
def test_a_hostile_table_is_one_sentence_with_file_and_line(content: bytes, sentence: str) -> None:
    with pytest.raises(CorpusError, match=sentence) as raised:
        reader.read(content, "a.csv")
    assert len(str(raised.value)) < 400


def test_what_is_no_number_takes_its_column_and_what_is_missing_its_cell() -> None:
    content = b"tag\tgood\tinf\ttext\thalf\nde\t1\tinf\tx\t\nen\t-2.5\t1\t2\tNaN\nfi\t+3E2\t1\t2\t 7 \n"
    found = reader.read(content, "a.tsv")
    assert found.columns == {"good": {"de": 1.0, "en": -2.5, "fi": 300.0}, "half": {"fi": 7.0}}
    assert found.warnings == (
        "Column 'inf' is left out: 'inf' in line 2 is no number.",
        "Column 'text' is left out: 'x' in line 2 is no number.",
    )


def test_lines_may_end_as_on_any_system_and_cells_hold_their_separator() -> None:
    for end in ("\n", "\r\n", "\r"):
        found = reader.read(end.join(['language,"size, in km"', "de,1", "en,2", ""]).encode(), "a.csv")
        assert found.columns == {"size, in km": {"de": 1.0, "en": 2.0}}


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"none\.csv cannot be read"):
        reader.read_file(InputFile("none.csv", tmp_path / "none.csv"))
