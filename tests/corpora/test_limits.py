"""One rule for all readers: what an import holds is counted while it is read, whatever the size of its files."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from backend.corpora.dictionaries import readers as dictionaries
from backend.corpora.emergent import readers as emergent
from backend.corpora.parallel import readers as parallel
from backend.corpora.shared import limits, textlines
from backend.corpora.shared.cells import Builder, Cells, drained, held, numbered
from backend.corpora.shared.inputs import InputFile
from backend.corpora.shared.limits import TooLargeError
from backend.corpora.tagged import readers as tagged
from backend.corpora.tasks import readers as tasks
from backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = 60_000
DE, FI = "Die Fähre verlässt den Hafen", "Lautta lähtee satamasta"


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_IMPORT_MB", "2")


def repeated(text: str, rows: int = ROWS) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), [text])


def parquet(path: Path, columns: dict[str, Any]) -> Path:
    pq.write_table(pa.table(columns), path, compression="zstd")
    assert path.stat().st_size < 300_000
    return path


def lines(path: Path, line: str, header: str = "", rows: int = ROWS) -> Path:
    path.write_text(header + line * rows, encoding="utf-8")
    return path


def packed(path: Path) -> Path:
    target = path.with_name(f"{path.name}.gz")
    target.write_bytes(gzip.compress(path.read_bytes()))
    return target


def zipped(path: Path) -> Path:
    target = path.with_suffix(".zip")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(path, path.name)
    return target


def as_dictionary(files: list[InputFile]) -> object:
    return dictionaries.read(files[0], "de", "fi")


CASES: dict[str, tuple[Callable[[list[InputFile]], object], Callable[[Path], Path]]] = {
    "parquet": (parallel.read, lambda p: parquet(p / "x.parquet", {"de": repeated(DE), "fi": repeated(FI)})),
    "nested parquet": (
        parallel.read,
        lambda p: parquet(p / "x.parquet", {"translation": pa.array([{"de": DE, "fi": FI}] * ROWS)}),
    ),
    "parquet of a task": (
        tasks.read,
        lambda p: parquet(p / "x.parquet", {"text_de": repeated(DE), "label": pa.array([0, 1] * (ROWS // 2))}),
    ),
    "parquet of tokens": (emergent.read, lambda p: parquet(p / "x.parquet", {"message": pa.array([[1] * 30] * ROWS)})),
    "tsv": (parallel.read, lambda p: lines(p / "x.tsv", f"{DE}\t{FI}\n", "de\tfi\n")),
    "gzip": (parallel.read, lambda p: packed(lines(p / "x.tsv", f"{DE}\t{FI}\n", "de\tfi\n"))),
    "zip": (parallel.read, lambda p: zipped(lines(p / "x.tsv", f"{DE}\t{FI}\n", "de\tfi\n"))),
    "csv of short rows": (parallel.read, lambda p: lines(p / "x.csv", "a,b\n", "de,fi\n")),
    "json lines of short rows": (parallel.read, lambda p: lines(p / "x.jsonl", '{"de":1,"fi":[]}\n', rows=200_000)),
    "json lines of ever other columns": (
        parallel.read,
        lambda p: sparse(p / "x.jsonl"),
    ),
    "blank lines": (tasks.read, lambda p: lines(p / "dev-de.tsv", "\n", "a\tb\n", 1_500_000)),
    "tmx": (parallel.read, lambda p: lines(p / "x.tmx", '<tu><tuv xml:lang="de"><seg>x</seg></tuv></tu>', "<tmx><body>")),
    "task": (tasks.read, lambda p: lines(p / "dev-de.tsv", "a\tb\n")),
    "tagged": (tagged.read, lambda p: packed(lines(p / "dev-de.tsv", "Haus\tNOUN\n\n", rows=200_000))),
    "dictionary": (as_dictionary, lambda p: lines(p / "de-fi.tsv", "Haus\ttalo\n")),
    "tokens": (emergent.read, lambda p: packed(lines(p / "x.txt", "1 2 3 4\n", rows=300_000))),
}


def sparse(path: Path) -> Path:
    path.write_text("".join(json.dumps({f"c{i % 1000}": ""}) + "\n" for i in range(20_000)))
    return path


@pytest.mark.parametrize("case", CASES)
def test_what_holds_too_much_is_refused_while_it_is_read(tmp_path: Path, case: str) -> None:
    read, write = CASES[case]
    file = write(tmp_path)
    with pytest.raises(CorpusError, match=r"more than (one import may hold \(2 MB|\d+ MiB)") as refused:
        read([InputFile(file.name, file)])
    assert "ISOGLOSS_IMPORT_MB" in str(refused.value)


def test_the_files_of_an_import_are_counted_together(tmp_path: Path) -> None:
    files = [lines(tmp_path / f"{tag}.txt", "Ein Satz.\n", rows=40_000) for tag in ("de", "fi", "sv")]
    with pytest.raises(TooLargeError):
        parallel.read([InputFile(file.name, file) for file in files])


def test_the_next_import_begins_anew(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text("de\tfi\n" + "".join(f"{DE} {i}\t{FI} {i}\n" for i in range(9000)))
    for _ in range(4):
        assert parallel.read([InputFile("x.tsv", tmp_path / "x.tsv")]).sentences == 9000


def test_a_setting_lets_more_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_IMPORT_MB", "64")
    file = parquet(tmp_path / "x.parquet", {"de": repeated(DE), "fi": repeated(FI)})
    assert parallel.read([InputFile(file.name, file)]).sentences == ROWS


@pytest.mark.parametrize(
    "values",
    [[], ["a", None, "ü" * 9], ["a"] * 9000, [1, None, "a", [2], {"b": None}], ["\ud800", "a"], [None] * 5000],
)
def test_cells_are_as_the_list_that_they_hold(values: list[Any]) -> None:
    found = held(values, "x")
    assert list(found) == values
    assert [found[place] for place in range(-len(values), len(values))] == values + values
    assert found[1:3] == values[1:3]
    assert len(found) == len(values)
    strings = found.strings()
    assert (strings is None) == any((value is not None and not isinstance(value, str)) or value == "\ud800" for value in values)
    with pytest.raises(IndexError):
        found[len(values)]


@pytest.mark.parametrize("values", [[], ["a"] * 9000, [1, None, "a", [2]] * 3000])
def test_drained_cells_are_counted_no_more(values: list[Any]) -> None:
    with limits.one_import() as meter:
        found = held(values, "x")
        assert list(drained(found)) == values
        assert meter.held == len(found) == 0


def test_cells_are_padded() -> None:
    builder = Builder("x")
    builder.pad(3)
    builder.append("a")
    builder.pad(2)
    builder.pad(6)
    assert list(builder.done()) == [None, None, None, "a", None, None]


@pytest.mark.parametrize("count", [0, 1, (1 << 16) - 1, (1 << 16) + 1])
def test_numbers_are_ids(count: int) -> None:
    assert list(numbered(count, "dev.", "x")) == [f"dev.{i}" for i in range(1, count + 1)]
    assert isinstance(numbered(count, "", "x"), Cells)


def test_what_is_counted_is_what_is_held() -> None:
    with limits.one_import() as meter:
        found = held(["word"] * 10_000, "x")
        assert meter.held == found.size > 10_000 * 4


@pytest.mark.parametrize(
    ("read", "name"),
    [(parallel.read, "x.tsv"), (tagged.read, "train-de.tsv"), (emergent.read, "x.txt"), (as_dictionary, "x.txt")],
)
def test_no_text_has_so_many_blank_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Callable[[list[InputFile]], object], name: str
) -> None:
    monkeypatch.setattr(textlines, "MOST_BLANK", 50)
    (tmp_path / name).write_text("Haus\ttalo\n" + "\n" * 60 + "Baum\tpuu\n")
    with pytest.raises(CorpusError, match=rf"^{name}, line \d+: There are more than 50 blank lines"):
        read([InputFile(name, tmp_path / name)])
