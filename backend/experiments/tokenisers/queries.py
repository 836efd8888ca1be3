"""A tokeniser's scores for the figures, from the files that cover a selection.

Raises `StoreError` where a file is gone or damaged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.recipe_mark import in_recipes
from isogloss.backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd

COLUMNS = "checkpoint, source, target, value, low, high, n"
ASKED = f"""
SELECT {COLUMNS} FROM {{scores}} WHERE metric = $metric AND list_contains($languages, source)
  AND list_contains($languages, target) AND list_contains($checkpoints, checkpoint)
"""


@in_recipes
def by_language(
    files: Sequence[Path], languages: Sequence[str], checkpoints: Sequence[str], metric: str, *, pivot: str | None = None
) -> pd.DataFrame:
    """Return a measure of each language, a row a checkpoint: checkpoint, language, value, low, high, n.

    Of a measure of pairs it is that of each language to the `pivot`, which itself is left out.
    """
    only = "source = target" if pivot is None else "target = $pivot AND source <> target"
    more = {} if pivot is None else {"pivot": pivot}
    statement = f"SELECT * EXCLUDE (target) RENAME (source AS language) FROM ({ASKED} AND {only}) ORDER BY ALL"
    return scores.query(statement, _asked(languages, checkpoints, metric) | more, files)


@in_recipes
def pairs(files: Sequence[Path], languages: Sequence[str], checkpoints: Sequence[str], metric: str) -> pd.DataFrame:
    """Return a measure of every pair: checkpoint, source, target, value, low, high, n."""
    return scores.query(f"{ASKED} ORDER BY ALL", _asked(languages, checkpoints, metric), files)


def _asked(languages: Sequence[str], checkpoints: Sequence[str], metric: str) -> dict[str, object]:
    return {"languages": list(languages), "checkpoints": list(checkpoints), "metric": metric}
