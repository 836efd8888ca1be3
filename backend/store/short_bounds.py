"""Bounds of intervals in two bytes instead of eight: a bound is an estimate of an error, and has no more than five digits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from numpy.typing import NDArray

BITS = 16
"""Significant bits that are kept: between .5 and 1 a bound moves by 8e-6 at most."""
REST = (1 << (53 - BITS)) - 1
"""The bits of a float64 that are not: with them 0 it compresses to two bytes."""


def with_short_bounds(rows: pa.Table) -> pa.Table:
    """Return rows of scores with `low` and `high` to `BITS`, rounded outwards; one that is the value itself stays."""
    value = rows["value"].to_numpy()
    for name in ("low", "high"):
        bound = rows[name].to_numpy()
        short = np.where(bound == value, bound, _outwards(bound, -1 if name == "low" else 1))
        column = pa.array(short, mask=rows[name].is_null().to_numpy())
        rows = rows.set_column(rows.schema.get_field_index(name), rows.schema.field(name), column)
    return rows


def _outwards(bound: NDArray[np.float64], sign: int) -> NDArray[np.float64]:
    """Return the nearest short numbers that are not below (`sign` 1), or not above (−1), these; what is not finite stays."""
    size = np.abs(bound).view(np.int64)
    away = (bound > 0) == (sign > 0)  # from 0
    short = np.copysign(((size + np.where(away, REST, 0)) & ~REST).view(np.float64), bound)
    return np.where(np.isfinite(short) & np.isfinite(bound), short, bound)
