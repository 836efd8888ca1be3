"""A pin's rows and picture as they were when it was pinned, in files beside it."""

from __future__ import annotations

import re
from base64 import b64decode
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go
import pyarrow as pa

from isogloss.backend import parquet
from isogloss.backend.errors import StoreError
from isogloss.backend.files import parse_json, publish

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pandas as pd


ELSEWHERE = re.compile(r"\s*([a-z]+:)?//", re.IGNORECASE)
"""How an address begins."""


def keep(folder: Path, pin: str, rows: pd.DataFrame, picture: go.Figure | None) -> None:
    """Keep both in the board's folder. Raises `StoreError` where it cannot be written."""
    parquet.write(folder / "rows" / f"{pin}.parquet", pa.Table.from_pandas(rows, preserve_index=False), {})
    if picture is not None:
        with publish(folder / "pictures" / f"{pin}.json") as temporary:
            temporary.write_text(str(picture.to_json()), encoding="utf-8")


def rows_of(folders: Iterable[Path], pin: str) -> pd.DataFrame:
    """Return the rows of a pin as they were pinned. Raises `StoreError` where they are damaged."""
    for folder in folders:
        path = folder / "rows" / f"{pin}.parquet"
        if path.is_file():
            rows: pd.DataFrame = parquet.read(path).to_pandas()
            return rows
    raise StoreError("The rows of this figure as they were pinned are gone. Open its link and pin it again.")


def picture_of(folders: Iterable[Path], pin: str) -> go.Figure | None:
    """Return the picture of a pin as it was pinned; None for a table, where it is damaged, and where it would load anything.

    An image or a map's tiles at an address would tell a stranger who looks at the board.
    """
    for folder in folders:
        path = folder / "pictures" / f"{pin}.json"
        if path.is_file():
            try:
                value = _decoded(parse_json(path.read_bytes()))
                return go.Figure({name: value[name] for name in ("data", "layout") if name in value})
            except (ValueError, TypeError):
                return None
    return None


def _decoded(value: Any) -> Any:
    """Return plotly's JSON with its arrays as arrays: it writes them as base 64 of their bytes."""
    match value:
        case {"dtype": str(dtype), "bdata": str(data)}:
            shape = [int(each) for each in str(value.get("shape", -1)).split(",")]
            return np.frombuffer(b64decode(data), dtype).reshape(shape)
        case dict():
            return {name: _decoded(each) for name, each in value.items()}
        case list():
            return [_decoded(each) for each in value]
        case str() if ELSEWHERE.match(value):
            raise ValueError("it loads something from elsewhere")
    return value
