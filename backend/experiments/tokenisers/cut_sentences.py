"""Where the pieces of the first sentences begin and end, kept beside the scores: what a page shows of them, piece by piece.

Places alone are kept, no text: that is the corpus'.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from isogloss.backend.store import details

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from isogloss.backend.experiments.tokenisers.pieces import Pieces

SHOWN = 100
"""Sentences whose pieces are kept: of 204 languages a megabyte."""
SCHEMA = pa.schema(
    [
        ("sentence_id", pa.string()),
        ("language", pa.string()),
        ("starts", pa.list_(pa.int32())),  # of each piece, in code points of the text
        ("ends", pa.list_(pa.int32())),
        ("unknown", pa.list_(pa.bool_())),
    ]
)


def few(pieces: Pieces) -> Pieces:
    """Return the same with the places in the first sentences alone: of all languages they would fill the memory."""
    return replace(pieces, spans=pieces.spans[:SHOWN])


def write(workspace: Path, shard: str, ids: Sequence[str], found: Mapping[str, Pieces], provenance: Mapping[str, Any]) -> None:
    """Publish the places of the pieces in the first sentences. Raises `StoreError` where the file cannot be written."""
    rows = [
        {
            "sentence_id": known,
            "language": tag,
            "starts": spans[:, 0].tolist(),
            "ends": spans[:, 1].tolist(),
            "unknown": unknown.tolist(),
        }
        for tag, pieces in found.items()
        for known, (spans, unknown) in zip(ids[:SHOWN], pieces.spans[:SHOWN], strict=True)
    ]
    details.write(workspace, shard, pa.Table.from_pylist(rows, schema=SCHEMA), provenance)
