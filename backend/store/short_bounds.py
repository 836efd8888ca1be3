"""Bounds of intervals in two bytes instead of eight: a bound is an estimate of an error, and has no more than five digits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

BITS = 16
"""Significant bits that are kept: between .5 and 1 a bound moves by 8e-6 at most."""


def with_short_bounds(rows: pa.Table) -> pa.Table:
    """Return rows of scores with `low` and `high` to `BITS`, rounded outwards; one that is the value itself stays."""
    value = rows["value"].to_numpy()
    found = {}
    for name, away in (("low", np.floor), ("high", np.ceil)):
        bound = rows[name].to_numpy()
        short = significant(bound, BITS, away)
        found[name] = np.where((bound == value) | ~np.isfinite(short), bound, short)
    return with_columns(rows, found)


def with_columns(rows: pa.Table, found: Mapping[str, Floats]) -> pa.Table:
    """Return rows with other numbers in some columns, nothing where nothing was."""
    for name, numbers in found.items():
        column = pa.array(numbers, mask=rows[name].is_null().to_numpy())
        rows = rows.set_column(rows.schema.get_field_index(name), rows.schema.field(name), column)
    return rows


def significant(numbers: Floats, bits: int, to_whole: Any = np.rint) -> Floats:
    """Return numbers with so many significant bits, made whole by `to_whole` in units of the last."""
    fraction, exponent = np.frexp(numbers)
    with np.errstate(over="ignore"):
        return np.asarray(np.ldexp(to_whole(np.ldexp(fraction, bits)), exponent - bits))
