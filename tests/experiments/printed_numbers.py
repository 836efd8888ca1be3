"""Reading tables of numbers that papers print."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def value(frame: pd.DataFrame, column: str = "value", **of: str) -> float:
    """The one number of the row that is like `of`."""
    for name, wanted in of.items():
        frame = frame[frame[name] == wanted]
    (found,) = frame[column]
    return float(found)
