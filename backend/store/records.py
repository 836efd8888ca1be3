"""The dense records of fine-tuning runs, one Parquet file a run: `<workspace>/records/<shard>.parquet`.

How often the model of a step was wrong, in every language in which it was evaluated, and its predictions, packed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from backend import parquet
from backend.errors import StoreError
from backend.files import published
from backend.store import quarantine

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


@dataclass(frozen=True, eq=False)
class RecordFile:
    """A verified file of records and what it says about itself. One object a file and process: it can key caches."""

    path: Path
    about: Mapping[str, Any]
    modified: float
    """When it was published: with the path, a key for caches."""

    @property
    def run(self) -> str:
        return self.path.stem


def path(workspace: Path, run: str) -> Path:
    return workspace / FOLDER / f"{run}.parquet"


def write(workspace: Path, run: str, table: pa.Table, about: Mapping[str, Any]) -> Path:
    """Publish the records (`RECORDS`) of one run. Raises `StoreError` where they cannot be written."""
    return parquet.write(path(workspace, run), table.select(RECORDS.names).cast(RECORDS), about)


def files(workspaces: Sequence[Path]) -> list[RecordFile]:
    """Every readable file of records, oldest first. Damaged files are set aside on the way."""
    found = []
    for workspace in workspaces:
        for each in published(workspace / FOLDER, "*.parquet"):
            try:
                stat = each.stat()
                found.append(_verified(each, stat.st_mtime, stat.st_size))
            except FileNotFoundError:
                continue  # removed by another process between the listing and the reading
            except StoreError as error:
                quarantine.set_aside(workspace, each, str(error))
    return sorted(found, key=lambda file: file.modified)


def exists(workspaces: Sequence[Path], run: str) -> bool:
    """Whether a readable file of this very run is there; a damaged one is set aside and does not count."""
    for workspace in workspaces:
        each = path(workspace, run)
        try:
            stat = each.stat()
            _verified(each, stat.st_mtime, stat.st_size)
        except FileNotFoundError:
            continue
        except StoreError as error:
            quarantine.set_aside(workspace, each, str(error))
            continue
        return True
    return False


@lru_cache(maxsize=100_000)
def _verified(path: Path, modified: float, size: int) -> RecordFile:
    parquet.read(path)
    return RecordFile(path, parquet.metadata(path), modified)


def predictions(file: RecordFile, step: int) -> dict[tuple[str, str], bytes]:
    """The packed predictions of one step: (split, language) → bytes. Raises `StoreError` for a damaged file."""
    table = parquet.read(file.path, ["step", "split", "language", "predictions"])
    rows = table.filter(pc.equal(table["step"], step)).to_pylist()
    return {(row["split"], row["language"]): row["predictions"] for row in rows}
