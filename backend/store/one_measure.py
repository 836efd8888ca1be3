"""One measure of a file of scores at all its layers: of a large file its column of values alone is decoded.

Which layer and pair a row is of is known from what lies beside the file pair by pair, whose numbers the column must round to.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend import parquet
from isogloss.backend.store import by_pair, sums
from isogloss.backend.store.cube import LARGE, Cube, cubes, state_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def measure_of(path: Path, metric: str, checkpoints: Sequence[str], *, bounds: bool) -> tuple[Cube, ...]:
    """Return the `cubes` of a metric and these checkpoints (others may be among them).

    Without `bounds` `value` and `n` alone, of a large file, and not kept. Raises as `cubes` does.
    """
    found = None if bounds else _from_column(path, metric)
    return (found,) if found else cubes(path, metrics=(metric,), checkpoints=checkpoints, bounds=bounds)


def _from_column(path: Path, metric: str) -> Cube | None:
    """Return a file's one series; None where it has several, is small, lacks a number, or has its rows in another order."""
    whole = sums.of_file(path)
    kept = by_pair.load(path, sums.said_of(state_of(path))) if whole and len(whole) == 1 else None
    if not whole or not kept or not kept[0].whole or metric not in whole[0].metrics:
        return None
    groups = parquet.groups_with(*state_of(path)[:2], {"metric": (metric,)}, LARGE)
    if not groups:
        return None
    shape = len(whole[0].layers), len(kept[0].pairs)
    column = parquet.read_groups(path, ["value"], (), groups)["value"].to_numpy().astype(np.float64)
    with suppress(OSError, ValueError):  # what lies beside it is gone
        if len(column) == shape[0] * shape[1]:
            value = column.reshape(shape)
            if np.array_equal(value.T.astype(np.float32), kept[0].of_metric(whole[0].metrics.index(metric))):
                n = np.broadcast_to(kept[0].n, (1, *shape))
                return replace(whole[0], metrics=(metric,), pairs=kept[0].pairs, fields={"value": value[None], "n": n})
    return None
