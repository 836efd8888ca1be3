"""Scores of ABX from before their intervals were Wilson's, read as if they were written today.

Their files hold value ± 1.96 jackknife standard errors, cut off at 0 and 1. Value, ends and the number of sentences give the
standard error back, hence the interval of today: no file is rewritten, none is computed again, and no two kinds stand side by
side. The interval itself is `backend.metrics.intervals.jackknife_interval`, here in SQL.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from isogloss.backend import parquet

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TODAY = {"intervals": "wilson"}
"""What a file of ABX scores says of itself where its intervals are those of today."""
METRICS = ("abx_language", "abx_meaning")

Z = 1.959963984540054
AS_TODAY = f"""
SELECT * EXCLUDE (_wrong, _trials) REPLACE (
  CASE WHEN _trials IS NULL THEN low ELSE greatest(0, least(value, (value + {Z**2 / 2} / _trials
    - {Z} * sqrt(_wrong / _trials + {Z**2 / 4} / _trials ** 2)) / (1 + {Z**2} / _trials))) + (low - low) END AS low,
  CASE WHEN _trials IS NULL THEN high ELSE least(1, greatest(value, (value + {Z**2 / 2} / _trials
    + {Z} * sqrt(_wrong / _trials + {Z**2 / 4} / _trials ** 2)) / (1 + {Z**2} / _trials))) + (low - low) END AS high)
FROM (
  SELECT *, value * (1 - value) AS _wrong,
    CASE WHEN metric IN {METRICS} AND NOT (low <= 0 AND high >= 1) THEN least(2 * n * (1 + (n * _wrong) ** 2),
      CASE WHEN _wrong > 0 AND high > low THEN _wrong * {Z**2} / greatest(value - low, high - value) ** 2
      ELSE 'inf'::DOUBLE END) END AS _trials
  FROM {{kept}}
)
"""
"""The rows of `kept` with the intervals of today. An interval cut off at both ends may be of any error, and stays.

`low - low` is what makes an unknown end stay unknown: DuckDB takes what a file says of its least and greatest number for all of
them, and `isnan` of a column for false.
"""


def split(files: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Tell files whose rows are to be read as they are from those with the intervals of before."""
    kinds: tuple[list[Path], list[Path]] = ([], [])
    for path in files:
        kinds[is_older(path)].append(path)
    return kinds


def is_older(path: Path) -> bool:
    """Whether a file holds ABX scores of all triplets with the intervals of before; of no file that is gone."""
    if path.parent.name != "abx":
        return False
    try:
        return _is_older(path, path.stat().st_mtime_ns)
    except FileNotFoundError:
        return False


@lru_cache(maxsize=100_000)
def _is_older(path: Path, _modified: int) -> bool:
    said = parquet.metadata(path)
    # Of sampled triplets the standard error is the draw's, and so small that both intervals are one.
    return said.get("intervals") != TODAY["intervals"] and not str(said.get("variant", "")).startswith("sampled")
