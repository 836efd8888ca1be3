"""Scores to download in a quarter of the space: the digits that no measurement has are left out, and how many is said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.store.short_bounds import significant, with_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pyarrow as pa

VALUE, BOUND = 16, 12
"""Significant bits that a score and a bound of its interval keep."""
ROUNDED = "rounded"
"""What a footer calls the significant bits of each column."""
SAID = (
    f"The scores to download are rounded to {VALUE} significant bits, within one part in {1 << VALUE:,}; bounds of intervals "
    f"to {BOUND}, outwards, by less than one part in {1 << BOUND - 1:,}."
)


def rounded(table: pa.Table) -> pa.Table:
    """Return scores with `value` rounded to the nearest number of `VALUE` significant bits, bounds outwards to one of `BOUND`.

    A bound that is the value stays so. What is not finite stays as it is.
    """
    value = table["value"].to_numpy()
    short = significant(value, VALUE)
    found = {"value": short}
    for name, away in (("low", np.floor), ("high", np.ceil)):
        bound = table[name].to_numpy()
        found[name] = np.where(bound == value, short, significant(bound, BOUND, away))
    return with_columns(table, found)


def said_of() -> dict[str, int]:
    """Return what a footer says of rounded scores."""
    return {"value": VALUE, "low": BOUND, "high": BOUND}


def tolerance_of(footers: Iterable[Mapping[str, Any]]) -> float:
    """Return how far, as a share of it, a score in files with these footers may lie from what it was before it was rounded."""
    return max((2.0 ** -int(each[ROUNDED]["value"]) for each in footers if ROUNDED in each), default=0.0)
