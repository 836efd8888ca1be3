"""What each layer told of every word, kept beside the scores: from a point of a curve to the words.

The words themselves are the dictionaries': their numbers alone are kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from isogloss.backend.store import details

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

SCHEMA = pa.schema(
    [
        ("target", pa.string()),
        ("word", pa.int32()),  # its number among those that all dictionaries have
        ("language", pa.string()),
        ("mass", pa.list_(pa.float32())),  # by layer
        ("top", pa.list_(pa.string())),  # the likeliest token by layer, the same for every language
        ("top_probability", pa.list_(pa.float32())),
    ]
)


def write(workspace: Path, shard: str, rows: Iterable[Mapping[str, Any]], provenance: Mapping[str, Any]) -> None:
    """Publish what every layer told. Raises `StoreError` where the file cannot be written."""
    details.write(workspace, shard, pa.Table.from_pylist(list(rows), schema=SCHEMA), provenance)
