"""The rows behind one mark of a figure: one Parquet file a spec, `<workspace>/details/<spec id>.parquet`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backend import parquet
from backend.store import quarantine

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pandas as pd
    import pyarrow as pa

FOLDER = "details"


def path(workspace: Path, spec_id: str) -> Path:
    return workspace / FOLDER / f"{spec_id}.parquet"


def load(spec_id: str, workspaces: Sequence[Path]) -> pd.DataFrame | None:
    """The rows from the first workspace that has them, or None; a damaged file is set aside."""
    for workspace in workspaces:
        if (whole := quarantine.read(workspace, path(workspace, spec_id))) is not None:
            found: pd.DataFrame = whole[0].to_pandas()
            return found
    return None


def about(spec_id: str, workspaces: Sequence[Path]) -> dict[str, Any] | None:
    """What the first file that is there says of itself, or None; a damaged file is set aside."""
    for workspace in workspaces:
        if (whole := quarantine.read(workspace, path(workspace, spec_id))) is not None:
            return whole[1]
    return None


def write(workspace: Path, spec_id: str, table: pa.Table, about: Mapping[str, Any]) -> Path:
    """Publish the rows, `about` in the file's footer. Raises `StoreError` where they cannot be written."""
    return parquet.write(path(workspace, spec_id), table, about)
