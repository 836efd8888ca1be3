"""Bounds of intervals in half the space: a bound is an estimate of an error, and seven digits of it are more than it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from numpy.typing import NDArray


def with_short_bounds(rows: pa.Table) -> pa.Table:
    """Return rows of scores with `low` and `high` in single precision, rounded outwards; one that is the value itself stays."""
    value = rows["value"].to_numpy()
    for name in ("low", "high"):
        bound = rows[name].to_numpy()
        short = np.where(bound == value, bound, _outwards(bound, -1 if name == "low" else 1))
        column = pa.array(short, mask=rows[name].is_null().to_numpy())
        rows = rows.set_column(rows.schema.get_field_index(name), rows.schema.field(name), column)
    return rows


def _outwards(bound: NDArray[np.float64], sign: int) -> NDArray[np.float64]:
    """Return the nearest numbers of single precision that are not below (`sign` 1), or not above (−1), these."""
    with np.errstate(over="ignore"):
        short = bound.astype(np.float32)
    inside = sign * short.astype(np.float64) < sign * bound
    outwards = np.where(inside, np.nextafter(short, np.float32(sign * np.inf)), short).astype(np.float64)
    return np.where(np.isfinite(short) & np.isfinite(outwards), outwards, bound)
