r"""Delimited text is read one way, whatever it holds: rows end at `\n` alone, and a row's line is the one it starts on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from isogloss.backend.corpora.covariates import reader as covariates
from isogloss.backend.corpora.dictionaries import readers as dictionaries
from isogloss.backend.corpora.emergent import readers as emergent
from isogloss.backend.corpora.parallel import readers as parallel
from isogloss.backend.corpora.shared.delimited import Quotes, read_rows
from isogloss.backend.corpora.shared.inputs import InputFile
from isogloss.backend.corpora.shared.textlines import each_line
from isogloss.backend.corpora.tagged import readers as tagged
from isogloss.backend.corpora.tasks import readers as tasks
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ODD = "a\u2028b\u0085c\x0bd"
"""Line separators that are text here, whatever `str.splitlines` says."""


@pytest.mark.parametrize(
    ("text", "delimiter", "quotes", "rows"),
    [
        ("\ufeffa,b\r\nc,d", ",", "csv", [(1, ["a", "b"]), (2, ["c", "d"])]),
        (f"{ODD},x\n", ",", "csv", [(1, [ODD, "x"])]),
        ('"a\nb\r\nc",d\ne,f\n', ",", "csv", [(1, ["a\nb\nc", "d"]), (4, ["e", "f"])]),
        ('"a ""b"", c"\n', ",", "csv", [(1, ['a "b", c'])]),
        ("a;b,c\n", ";", "csv", [(1, ["a", "b,c"])]),
        (f'"a\t{ODD}\n"\tb\n', "\t", "text", [(1, ['"a', ODD]), (2, ['"', "b"])]),
        ('"a"\t"b""c" \t"d\n', "\t", "cells", [(1, ["a", 'b"c', '"d'])]),
        ("a  b\tc\n", " ", "text", [(1, ["a", "b", "c"])]),
    ],
)
def test_rows_and_their_lines(tmp_path: Path, text: str, delimiter: str, quotes: Quotes, rows: list[Any]) -> None:
    file = InputFile("x", tmp_path / "x")
    file.path.write_text(text, encoding="utf-8", newline="")
    assert list(read_rows(file, each_line(file), delimiter, quotes)) == rows


def in_german(file: InputFile) -> object:
    return dictionaries.read(file, "de", "fi")


# name of the file: (its reader, its content, the line of the row that is broken)
BROKEN: dict[str, tuple[Callable[..., object], str, int]] = {
    "x.csv": (parallel.read, f'de,en\n"{ODD}\nb",c\nd,e,f\n', 4),
    "x.tsv": (parallel.read, f"de\ten\n{ODD}\tc\nd\te\tf\n", 3),
    "x.de-en.tsv": (parallel.read, f"{ODD}\tc\nd\te\tf\n", 2),
    "train-de.tsv": (tasks.read, f"{ODD}\tc\n\nd\te\tf\n", 3),
    "train-fi.tsv": (tagged.read, f"{ODD}\tX\n\nd\tX\tf\n", 3),
    "de-fi.csv": (in_german, f'{ODD},talo\n"Baum, puu\n', 2),
    "sizes.csv": (covariates.read_file, f'language,"{ODD}\nkm"\nde,1\nen,2,3\n', 4),
}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_row_is_named_by_its_line(tmp_path: Path, name: str, end: str) -> None:
    reader, text, line = BROKEN[name]
    file = InputFile(name, tmp_path / "x")
    file.path.write_text("\ufeff" + text.replace("\n", end), encoding="utf-8", newline="")
    with pytest.raises(CorpusError) as refused:
        reader(file if reader in (in_german, covariates.read_file) else [file])
    assert (refused.value.file, refused.value.line) == (name, line)


def test_a_broken_row_of_utterances_costs_itself(tmp_path: Path) -> None:
    file = InputFile("x.csv", tmp_path / "x")
    file.path.write_text(f'id,message\n"1\n2",{ODD}\n3,"wa ""tok\n4,wa\n', encoding="utf-8", newline="")
    corpus = emergent.read([file])
    assert corpus.utterances == 2
    assert [(row.line, row.reason) for row in corpus.report.skipped] == [(4, "a quote that is never closed")]
