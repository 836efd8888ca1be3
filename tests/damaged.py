"""Files of results as no shard writes them: damaged, of other programs and versions, and with one thing changed each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from isogloss.backend import parquet

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DEMO = Path(__file__).resolve().parents[1] / "cache" / "demo"
FOLDERS = (
    "scores/abx",
    "scores/alignment",
    "scores/geometry",
    "scores/probing",
    "scores/emergent",
    "scores/transfer",
    "records",
)
WRONG: tuple[Any, ...] = (None, "x", [1.5])
"""What a field of a footer may hold in a file of somebody else."""


def of_demo(folder: str) -> list[Path]:
    """One file of each kind that the demo has in a folder: kinds say different things of themselves."""
    kinds: dict[tuple[str, ...], Path] = {}
    for path in sorted((DEMO / folder).glob("*.parquet")):
        kinds.setdefault(tuple(sorted(parquet.metadata(path))), path)
    return list(kinds.values())


def small(path: Path, rows: int = 40) -> pa.Table:
    """Some rows of a file."""
    return parquet.read(path).slice(0, rows)


def renamed(table: pa.Table, run: str) -> pa.Table:
    """The rows as of another run."""
    return table.set_column(table.schema.names.index("run"), "run", pa.array([run] * len(table), pa.string()))


def footers(said: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The footer without each field in turn, and with what is wrong in it; inside options too."""
    for name, own in said.items():
        yield {key: value for key, value in said.items() if key != name}
        yield from ({**said, name: wrong} for wrong in WRONG)
        if isinstance(own, dict):
            for part in own:
                yield {**said, name: {key: value for key, value in own.items() if key != part}}
                yield from ({**said, name: {**own, part: wrong}} for wrong in WRONG)
    yield {}


def with_footers(workspace: Path, folder: str) -> int:
    """Write a file for each of `footers` of each kind in a folder; how many."""
    number = 0
    for path in of_demo(folder):
        table = small(path, 4)
        for said in footers(parquet.metadata(path)):
            number += 1
            run = f"{FOLDERS.index(folder):012x}{number:012x}"
            parquet.write(workspace / folder / f"{run}.parquet", renamed(table, run), said)
    return number


def with_tables(workspace: Path, folder: str) -> list[str]:
    """Write files whose bytes, columns or numbers are not what a folder holds; the names of all that are to be left out."""
    place, number = workspace / folder, 0
    place.mkdir(parents=True, exist_ok=True)
    names: list[str] = []
    at = f"{FOLDERS.index(folder):06d}"
    for path in of_demo(folder):
        said, whole = parquet.metadata(path), path.read_bytes()
        for damaged in (b"", b"PAR1", whole[: len(whole) // 2], whole[:-1], b"x" * 99, whole[:200] + b"?" + whole[201:]):
            number += 1
            names.append(f"dddddd{at}{number:012x}")
            (place / f"{names[-1]}.parquet").write_bytes(damaged)
        for table in tables(small(path)):
            number += 1
            names.append(f"cccccc{at}{number:012x}")
            of_run = "run" in table.schema.names and pa.types.is_string(table.schema.field("run").type)
            own = renamed(table, names[-1]) if of_run else table
            parquet.write(place / f"{names[-1]}.parquet", own, said)
    foreign = {f"theirs{at}": pa.table({"a": [1]}), f"none{at}": pa.table({}), f"rows{at}": small(of_demo(folder)[0])}
    for name, table in foreign.items():
        pq.write_table(table.replace_schema_metadata(None), place / f"{name}.parquet")
    newer(place / f"newer{at}.parquet", small(of_demo(folder)[0]), parquet.metadata(of_demo(folder)[0]))
    (place / "notes.txt").write_text("not a table")
    (place / f"folder{at}.parquet").mkdir()
    return [*names, *foreign, f"newer{at}", f"folder{at}"]


def tables(table: pa.Table) -> Iterator[pa.Table]:
    """The table without each column, with one more, with each column of text, and with numbers that are none."""
    for number, field in enumerate(table.schema):
        yield table.drop_columns([field.name])
        other = pa.array([1 if pa.types.is_string(field.type) else "x"] * len(table))
        yield table.set_column(number, field.name, other)
    yield table.append_column("more", pa.array(["x"] * len(table)))
    for name in ("value", "low", "high"):
        if name in table.schema.names:
            at = table.schema.names.index(name)
            yield table.set_column(at, name, pa.array([float("inf")] * len(table)))
    if "value" in table.schema.names:
        yield table.set_column(table.schema.names.index("value"), "value", pa.nulls(len(table), pa.float64()))


def not_numbers(workspace: Path, folder: str) -> int:
    """Write files of which all numbers are NaN, and without rows, which are no mistake; how many."""
    written = 0
    for place, path in enumerate(of_demo(folder)):
        table, said = small(path, 200), parquet.metadata(path)
        if "value" in table.schema.names:
            at = table.schema.names.index("value")
            nan = table.set_column(at, "value", pc.multiply(table["value"], float("nan")))
            for more, own in enumerate((nan, table.slice(0, 0))):
                run = f"eeeeee{FOLDERS.index(folder):06d}{place:06d}{more:06d}"
                parquet.write(workspace / folder / f"{run}.parquet", renamed(own, run), said)
                written += 1
    return written


def newer(path: Path, table: pa.Table, said: Mapping[str, Any]) -> None:
    """Write a file as a later version would."""
    own = parquet.FORMAT
    parquet.FORMAT = own + 2
    try:
        parquet.write(path, renamed(table, path.stem), said)
    finally:
        parquet.FORMAT = own


def tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file and folder below one, with its time of change and its bytes."""
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in [folder, *folder.rglob("*")]
    }


def texts(path: Path) -> list[str]:
    """A JSON file, half written, of another kind, and of a version with other fields."""
    whole = path.read_text(encoding="utf-8")
    return [whole[: len(whole) // 2], "", "null", "[]", "7", json.dumps({"format": 3}), "{" * 50_000, "\ufeff\0"]


def with_entries(workspace: Path) -> int:
    """Write the entries of everything that the demo keeps, half written and of other versions; how many."""
    written = 0
    entries = list(DEMO.glob("*/*/entry.json")) + sorted((DEMO / "models").glob("*.json"))
    kinds = {path.relative_to(DEMO).parts[0]: path for path in entries}
    for kind, path in kinds.items():
        whole = json.loads(path.read_text(encoding="utf-8"))
        changed = [json.dumps(each) for each in footers(whole)]
        for text in [*texts(path), *changed]:
            written += 1
            id_ = f"{written:08x}{'0' * 16}"
            own = text.replace(whole.get("id") or whole.get("fingerprint") or path.stem, id_)
            to = workspace / kind / (f"{id_}.json" if kind == "models" else f"{id_}/entry.json")
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_text(own, encoding="utf-8")
    return written


def with_what_people_wrote(workspace: Path) -> None:
    """Write half and foreign files among boards, notes, categories, quarantine's notes, workers' reports, kept models."""
    places = ("boards/{0:012x}/board.json", "boards/aaaaaaaaaaaa/pins/{0:012x}.json", "boards/aaaaaaaaaaaa/notes/{0:012x}.json")
    places += ("notes/aa/{0:024x}.json", "categories/aa/{0:024x}.json", "quarantine/x{0}.parquet.json", "jobs/workers/{0}.json")
    places += ("weights/{0:024x}/about.json", "bases/{0:024x}/about.json", "models/hashes/files.json", "jobs/runs/{0}.json")
    board = {"id": "a" * 12, "title": "Mine", "created_at": "2026-01-01T00:00:00Z"}
    first = workspace / "boards" / "aaaaaaaaaaaa" / "board.json"
    first.parent.mkdir(parents=True)
    first.write_text(json.dumps(board))
    for place in places:
        for number, text in enumerate(texts(first)):
            path = workspace / place.format(number)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
