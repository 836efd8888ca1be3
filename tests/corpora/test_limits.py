"""What hostile and too large files end in: one sentence, whatever their size, from what their reader's process may take."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from isogloss.backend.corpora.dictionaries import readers as dictionaries
from isogloss.backend.corpora.emergent import readers as emergent
from isogloss.backend.corpora.parallel import readers as parallel
from isogloss.backend.corpora.shared import apart, textlines
from isogloss.backend.corpora.shared.cells import Builder, Cells, drained, held, numbered
from isogloss.backend.corpora.shared.inputs import InputFile
from isogloss.backend.corpora.shared.limits import TooLargeError
from isogloss.backend.corpora.tagged import readers as tagged
from isogloss.backend.corpora.tasks import readers as tasks
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = 60_000
DE, FI = "Die Fähre verlässt den Hafen", "Lautta lähtee satamasta"
LONG = pa.DictionaryArray.from_arrays(pa.array([0] * ROWS, pa.int32()), [DE * 100])


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


MEMORY, HELD = r"Reading it takes more than 64 MB of memory", r"more than one import may hold \(2 MB\)"
# name: (the reader, its file, what is said)
CASES: dict[str, tuple[Callable[..., object], Callable[[Path], Path], str]] = {
    "parquet of gigabytes": (parallel.read, lambda p: parquet(p / "x.parquet", {"de": LONG, "fi": LONG}), f"{MEMORY}|{HELD}"),
    "nested parquet": (
        parallel.read,
        lambda p: parquet(p / "x.parquet", {"translation": pa.array([{"de": DE * 50, "fi": FI * 50}] * ROWS)}),
        f"{MEMORY}|{HELD}",
    ),
    "a cell of many megabytes": (
        parallel.read,
        lambda p: parquet(p / "x.parquet", {"de": ["a" * (80 << 20)], "fi": ["b"]}),
        f"{MEMORY}|{HELD}",
    ),
    "parquet": (parallel.read, lambda p: parquet(p / "x.parquet", {"de": repeated(DE), "fi": repeated(FI)}), HELD),
    "parquet of a task": (
        tasks.read,
        lambda p: parquet(p / "x.parquet", {"text_de": repeated(DE), "label": pa.array([0, 1] * (ROWS // 2))}),
        f"{MEMORY}|{HELD}",
    ),
    "parquet of tokens": (emergent.read, lambda p: parquet(p / "x.parquet", {"message": pa.array([[1] * 30] * ROWS)}), HELD),
    "tsv": (parallel.read, lambda p: lines(p / "x.tsv", f"{DE}\t{FI}\n", "de\tfi\n"), HELD),
    "gzip": (parallel.read, lambda p: packed(lines(p / "x.tsv", f"{DE}\t{FI}\n", "de\tfi\n")), HELD),
    "zip": (parallel.read, lambda p: zipped(lines(p / "x.tsv", f"{DE}\t{FI}\n", "de\tfi\n")), HELD),
    "csv of short rows": (parallel.read, lambda p: lines(p / "x.csv", "a,b\n", "de,fi\n"), HELD),
    "tagged": (tagged.read, lambda p: packed(lines(p / "dev-de.tsv", "Haus\tNOUN\n\n", rows=400_000)), HELD),
    "dictionary": (dictionaries.read, lambda p: words(p / "de-fi.tsv"), f"{MEMORY}|{HELD}"),
    "tokens": (emergent.read, lambda p: packed(lines(p / "x.txt", "1 2 3 4\n", rows=600_000)), f"{MEMORY}|{HELD}"),
}


def words(path: Path) -> Path:
    """Write more pairs of words than an import may hold."""
    path.write_text("".join(f"Haus{i}\ttalo{i}\n" for i in range(100_000)), encoding="utf-8")
    return path


@pytest.mark.parametrize("case", CASES)
def test_what_takes_too_much_ends_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    monkeypatch.setattr(apart, "BESIDE", 60)
    reader, write, says = CASES[case]
    file = write(tmp_path)
    named = InputFile(file.name, file)
    with pytest.raises(TooLargeError, match=says) as refused:
        apart.read(reader, named, "de", "fi") if case == "dictionary" else apart.read(reader, [named])
    assert refused.value.file == file.name
    assert "ISOGLOSS_IMPORT_MB" in str(refused.value)


def test_the_files_of_an_import_are_counted_together(tmp_path: Path) -> None:
    files = [lines(tmp_path / f"{tag}.txt", "Ein Satz.\n", rows=40_000) for tag in ("de", "fi", "sv")]
    with pytest.raises(TooLargeError, match=r"^de\.txt and 2 more: "):
        apart.read(parallel.read, [InputFile(file.name, file) for file in files])


def test_a_setting_lets_more_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_IMPORT_MB", "64")
    file = parquet(tmp_path / "x.parquet", {"de": repeated(DE), "fi": repeated(FI)})
    assert apart.read(parallel.read, [InputFile(file.name, file)]).sentences == ROWS


@pytest.mark.parametrize(
    "values",
    [[], ["a", None, "ü" * 9], ["a"] * 9000, [1, None, "a", [2], {"b": None}], ["\ud800", "a"], [None] * 5000],
)
def test_cells_are_as_the_list_that_they_hold(values: list[Any]) -> None:
    found = held(values)
    assert list(found) == values
    assert [found[place] for place in range(-len(values), len(values))] == values + values
    assert found[1:3] == values[1:3]
    assert len(found) == len(values)
    strings = found.strings()
    assert (strings is None) == any((value is not None and not isinstance(value, str)) or value == "\ud800" for value in values)
    with pytest.raises(IndexError):
        found[len(values)]


@pytest.mark.parametrize("values", [[], ["a"] * 9000, [1, None, "a", [2]] * 3000])
def test_drained_cells_are_let_go_of(values: list[Any]) -> None:
    found = held(values)
    assert list(drained(found)) == values
    assert len(found) == 0


def test_cells_are_padded() -> None:
    builder = Builder()
    builder.pad(3)
    builder.append("a")
    builder.pad(2)
    builder.pad(6)
    assert list(builder.done()) == [None, None, None, "a", None, None]


@pytest.mark.parametrize("count", [0, 1, (1 << 16) - 1, (1 << 16) + 1])
def test_numbers_are_ids(count: int) -> None:
    assert list(numbered(count, "dev.")) == [f"dev.{i}" for i in range(1, count + 1)]
    assert isinstance(numbered(count, ""), Cells)


@pytest.mark.parametrize(
    ("read", "name"),
    [
        (parallel.read, "x.tsv"),
        (tagged.read, "train-de.tsv"),
        (emergent.read, "x.txt"),
        (lambda files: dictionaries.read(files[0], "de", "fi"), "x.txt"),
    ],
)
def test_no_text_has_so_many_blank_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Callable[[list[InputFile]], object], name: str
) -> None:
    monkeypatch.setattr(textlines, "MOST_BLANK", 50)
    (tmp_path / name).write_text("Haus\ttalo\n" + "\n" * 60 + "Baum\tpuu\n")
    with pytest.raises(CorpusError, match=rf"^{name}, line \d+: There are more than 50 blank lines"):
        read([InputFile(name, tmp_path / name)])
