"""Files of dense records, and the errors that one query makes of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.backend import parquet
from isogloss.backend.errors import StoreError
from isogloss.backend.experiments.transfer import queries as transfer_queries
from isogloss.backend.store import quarantine, records, shard_files
from tests.footers import footer

if TYPE_CHECKING:
    from pathlib import Path

Row = dict[str, Any]


def row(run: str, step: int, split: str, language: str, errors: int, n: int = 7, source: str = "en") -> Row:
    place = {"run": run, "source": source, "step": step, "epoch": 1 + step // 20, "split": split, "language": language}
    return place | {"errors": errors, "n": n, "predictions": f"{step}{split}{language}".encode()}


def write(workspace: Path, rows: list[Row], **provenance: Any) -> Path:
    return records.write(
        workspace, rows[0]["run"], pa.Table.from_pylist(rows, schema=records.RECORDS), footer("records", **provenance)
    )


def some(run: str = "one", **changes: Any) -> list[Row]:
    """Two record points; at the first only the source was evaluated."""
    return [
        row(run, 10, "train", "en", 3, **changes),
        row(run, 20, "train", "en", 1, **changes),
        row(run, 20, "train", "de", 2, **changes),
        row(run, 20, "validation", "en", 4, **changes),
        row(run, 20, "validation", "de", 5, **changes),
    ]


def test_what_is_written_is_what_is_read(workspace: Path) -> None:
    path = write(workspace, some(), languages=["de", "en"])
    assert path == records.path(workspace, "one") == workspace / "records" / "one.parquet"
    (file,) = records.files([workspace])
    assert (file.path, file.run, file.provenance) == (path, "one", footer("records", languages=["de", "en"]))
    assert parquet.read(path).to_pylist() == some()
    assert parquet.read(path).schema.remove_metadata() == records.RECORDS
    assert [each.name for each in path.parent.iterdir()] == ["one.parquet"]


def test_predictions_are_of_one_step(workspace: Path) -> None:
    write(workspace, some())
    (file,) = records.files([workspace])
    assert records.predictions(file, 10) == {("train", "en"): b"10trainen"}
    assert records.predictions(file, 20) == {
        (split, tag): f"20{split}{tag}".encode() for split in ("train", "validation") for tag in ("en", "de")
    }
    assert records.predictions(file, 30) == {}


def test_files_come_oldest_first_from_all_workspaces(workspace: Path, tmp_path: Path) -> None:
    assert records.files([workspace, tmp_path / "none"]) == []
    paths = [write(where, some(name)) for where, name in ((workspace, "c"), (tmp_path / "other", "b"), (workspace, "a"))]
    for age, path in enumerate(paths):
        os.utime(path, (1000 - age, 1000 - age))
    (workspace / "records" / ".tmp-half.parquet").write_bytes(b"PAR1")
    found = records.files([workspace, tmp_path / "other"])
    assert [file.run for file in found] == ["a", "b", "c"]
    assert [file.modified for file in found] == [998.0, 999.0, 1000.0]


@pytest.mark.parametrize("damage", ["cut off", "one byte", "empty", "no table"])
def test_a_damaged_file_is_set_aside_with_the_reason(workspace: Path, damage: str) -> None:
    path, other = write(workspace, some("one")), write(workspace, some("other"))
    (file, _) = sorted(records.files([workspace]), key=lambda each: each.run)
    whole = path.read_bytes()
    broken = {
        "cut off": whole[:-7],
        "one byte": whole[:60] + bytes([whole[60] ^ 1]) + whole[61:],
        "empty": b"",
        "no table": b"x" * 99,
    }
    path.write_bytes(broken[damage])
    os.utime(path, (5, 5))
    assert [each.path for each in records.files([workspace])] == [other]
    assert not path.exists()
    (note,) = quarantine.notes(workspace)
    assert note["file"] == "records/one.parquet"
    assert "damaged" in note["reason"]
    with pytest.raises((StoreError, FileNotFoundError)):
        records.predictions(file, 10)


def test_a_file_removed_while_it_is_looked_at_is_no_error(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [write(workspace, some(name)) for name in ("one", "other")]
    monkeypatch.setattr(shard_files, "published_files", lambda *_: paths)
    paths[0].unlink()
    assert [file.path for file in records.files([workspace])] == [paths[1]]


def test_errors_of_points_and_targets(workspace: Path) -> None:
    path = write(workspace, some())
    found = transfer_queries.errors([path], ["de", "en", "fi"])
    assert tuple(found.columns) == transfer_queries.COLUMNS
    first = [None, None, None, 7, None, None]
    expected = [
        ["one", "en", 10, 1, "de", 3 / 7, *first],
        ["one", "en", 10, 1, "en", 3 / 7, 3 / 7, *first[1:]],
        ["one", "en", 20, 2, "de", 1 / 7, 2 / 7, 5 / 7, 4 / 7, 7, 7, 7],
        ["one", "en", 20, 2, "en", 1 / 7, 1 / 7, 4 / 7, 4 / 7, 7, 7, 7],
    ]
    assert found.astype(object).where(found.notna(), None).to_numpy().tolist() == expected


def test_a_source_that_is_no_target_is_not_shown_but_its_errors_are_known(workspace: Path) -> None:
    found = transfer_queries.errors([write(workspace, some())], ["de"])
    assert found["target"].tolist() == ["de", "de"]
    assert found["train_error"].tolist() == [3 / 7, 1 / 7]
    assert found["source_error"].tolist()[1] == 4 / 7


def test_a_run_in_two_workspaces_counts_once(workspace: Path, tmp_path: Path) -> None:
    paths = [write(where, some()) for where in (workspace, tmp_path / "other")]
    paths.append(write(workspace, some("two", source="de")))
    found = transfer_queries.errors(paths, ["de", "en"])
    assert not found.duplicated(["run", "step", "target"]).any()
    assert found["run"].value_counts().to_dict() == {"one": 4, "two": 2}
    one = transfer_queries.errors(paths[:1], ["de", "en"])
    assert found[found["run"] == "one"].reset_index(drop=True).equals(one)


def test_no_files_give_the_columns() -> None:
    found = transfer_queries.errors([], ["de"])
    assert (tuple(found.columns), len(found)) == (transfer_queries.COLUMNS, 0)


def test_no_targets_give_no_rows(workspace: Path) -> None:
    assert transfer_queries.errors([write(workspace, some())], []).empty
    assert transfer_queries.errors([write(workspace, some())], ["fi"]).empty


@given(counts=st.lists(st.tuples(st.integers(0, 1000), st.integers(1, 400_000)), min_size=1, max_size=20))
@settings(max_examples=25)
def test_an_error_is_the_very_quotient_of_its_counts(counts: list[tuple[int, int]]) -> None:
    """Edges of windows are made for errors / n in float64; DuckDB must divide as Python does."""
    import tempfile
    from pathlib import Path

    rows = [row("one", step, "train", "en", min(errors, n), n) for step, (errors, n) in enumerate(counts)]
    with tempfile.TemporaryDirectory() as folder:
        found = transfer_queries.errors([write(Path(folder), rows)], ["en"])
    assert found["train_error"].tolist() == [one["errors"] / one["n"] for one in rows]
    assert found["train_error"].dtype == np.float64
    assert found["step"].tolist() == list(range(len(rows)))
