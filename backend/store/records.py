"""The dense records of fine-tuning runs, one Parquet file a run: `<workspace>/records/<shard>.parquet`.

How often the model of a step was wrong, in every language in which it was evaluated, and its predictions, packed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from isogloss.backend import parquet
from isogloss.backend.files import named
from isogloss.backend.store import shard_files
from isogloss.backend.store.shard_files import ShardFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

FOLDER = "records"

RECORDS = pa.schema(
    [
        ("run", pa.string()),  # the shard's key, as in the scores
        ("source", pa.string()),  # BCP-47, the language trained on
        ("step", pa.int32()),  # updates made so far
        ("epoch", pa.int32()),  # passes over the training examples, the one that the step belongs to counted whole
        ("split", pa.string()),  # "train": the training examples or their translations; "validation"
        ("language", pa.string()),  # BCP-47, that of the texts
        ("errors", pa.int32()),
        ("n", pa.int32()),  # examples evaluated
        ("predictions", pa.binary()),  # backend.training.finetune.records.unpack
    ]
)


RecordFile = ShardFile


def path(workspace: Path, run: str) -> Path:
    """Return the run's file, whether it is there or not."""
    return workspace / FOLDER / f"{named(run)}.parquet"


def write(workspace: Path, run: str, table: pa.Table, provenance: Mapping[str, Any]) -> Path:
    """Publish the records (`RECORDS`) of one run. Raises `StoreError` where they cannot be written."""
    return parquet.write(path(workspace, run), table.select(RECORDS.names).cast(RECORDS), provenance)


def files(workspaces: Sequence[Path]) -> list[RecordFile]:
    """Return every readable file of records, oldest first. Damaged files are set aside on the way."""
    return shard_files.readable_files(workspaces, f"{FOLDER}/*.parquet", RECORDS)


def left_out(workspaces: Sequence[Path]) -> list[tuple[Path, str]]:
    """Return the files of records that are not read and stay where they are, each with the reason and what to do."""
    return shard_files.left_out(workspaces, f"{FOLDER}/*.parquet", RECORDS)


def exists(workspaces: Sequence[Path], run: str) -> bool:
    """Return whether a readable file of this very run is there; a damaged one is set aside and does not count."""
    return shard_files.exists(((workspace, path(workspace, run)) for workspace in workspaces), RECORDS)


def predictions(file: RecordFile, step: int) -> dict[tuple[str, str], bytes]:
    """Return the packed predictions of one step: (split, language) → bytes. Raises `StoreError` for a damaged file."""
    return {key: each.predictions for key, each in evaluated(file, step).items()}


class Evaluated(NamedTuple):
    """How a model did on the examples of one part in one language."""

    errors: int
    n: int
    predictions: bytes


def evaluated(file: RecordFile, step: int) -> dict[tuple[str, str], Evaluated]:
    """Return all that the model of one step was evaluated on: (split, language) → how. Raises `StoreError` as `predictions`."""
    table = parquet.read(file.path, ["step", "split", "language", "errors", "n", "predictions"])
    rows = table.filter(pc.equal(table["step"], step)).to_pylist()
    return {(row["split"], row["language"]): Evaluated(row["errors"], row["n"], row["predictions"]) for row in rows}
