"""The similarity of languages behind the ranking of transfer directions: one SQL query over the files that have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backend.store.scores import query

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd

PAIRS = """
SELECT metric, layer, source, target, value, low, high, n FROM {scores}
WHERE experiment = 'similarity' AND list_contains($keys, run || ' ' || source || ' ' || target)
ORDER BY metric, layer, source, target
"""


def pairs(files: Sequence[Path], wanted: Sequence[tuple[str, str, str]]) -> pd.DataFrame:
    """A row a metric, layer and pair: metric, layer, source, target, value, low, high, n.

    `wanted` are (run, source, target): which file serves which pair, so that none is there twice.
    """
    return query(PAIRS, {"keys": [" ".join(key) for key in wanted]}, files)
