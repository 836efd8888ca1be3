"""Tables of covariates: what is read, what is left out and said, and every broken file as one sentence with its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from backend.corpora.covariates import library, reader
from backend.errors import CorpusError

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
        (b"", "has no row of numbers"),
        (b"language,size\n", "has no row of numbers"),
        (b"language\nde\n", "has no row of numbers"),
        (b"language,size\nde,1\nde,2\n", r"a\.csv, line 3: de is there twice, first in line 2"),
        (b"language,size\nde,1\nen,2,3\n", r"a\.csv, line 3: The row has 3 cells where the first line has 2"),
        (b"language,size,size\nde,1,2\n", "two columns called 'size'"),
        (b"language,size\nde,\xff\n", r"a\.csv, line 2: The table is not UTF-8"),
        (b"language,name\nde,German\n", r"No column of the table holds numbers \('German' in line 2 is none\)"),
        (b"language,size\nde,inf\n", "No column of the table holds numbers"),
        (b'language,size\nde,"1\n', "cannot be read"),
    ],
)
def test_a_broken_table_is_one_sentence(content: bytes, sentence: str) -> None:
    with pytest.raises(CorpusError, match=sentence):
        reader.read(content, "a.csv")


def test_a_table_is_kept_by_its_content(tmp_path: Path) -> None:
    found = reader.read(b"language,size\nde,0.1\nen,3\n", "a.csv")
    entry = library.keep(found, "Sizes", tmp_path)
    assert library.keep(found, "Other name", tmp_path) == entry
    assert library.load(entry.id, [tmp_path]) == found
    assert (entry.columns, entry.languages) == (("size",), ("de", "en"))
    with pytest.raises(CorpusError, match="no column 'speakers'"):
        found.column("speakers")
    library.remove(entry.id, tmp_path)
    assert library.entries([tmp_path]) == []
    with pytest.raises(CorpusError, match="no table of covariates"):
        library.load(entry.id, [tmp_path])
