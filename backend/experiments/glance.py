"""What the home page draws of each family: means over the scores of some files, whatever family wrote them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backend.experiments.xferbench import frames, queries
from backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd


def by_layer(files: Sequence[Path], metrics: Sequence[str]) -> pd.DataFrame:
    """Mean over languages, a row a metric and layer: metric, layer, value.

    Mixes of layers are left out, and single seeds beside their means.
    """
    return scores.query(
        "SELECT metric, layer, avg(value) AS value FROM (SELECT *, bool_or(seed IS NULL) OVER (PARTITION BY metric) AS means "
        "FROM {scores} WHERE list_contains($metrics, metric) AND layer IS NOT NULL) WHERE seed IS NULL OR NOT means "
        "GROUP BY metric, layer ORDER BY metric, layer",
        {"metrics": list(metrics)},
        files,
    )


def by_pair(files: Sequence[Path], metrics: Sequence[str]) -> pd.DataFrame:
    """Mean over layers and seeds, a row a variant, metric, source and target: variant, metric, source, target, value."""
    return scores.query(
        "SELECT variant, metric, source, target, avg(value) AS value FROM {scores} WHERE list_contains($metrics, metric) "
        "AND NOT isnan(value) GROUP BY ALL ORDER BY variant, metric, source, target",
        {"metrics": list(metrics)},
        files,
    )


def by_source(workspaces: Sequence[Path]) -> pd.Series:
    """XferBench scores of the newest variant (nats per token), the best first, by source; over the targets that all have."""
    known = queries.variants(workspaces)
    if known.empty:
        return known["variant"]
    cells = queries.cross_entropies(workspaces, str(known["variant"].iloc[0]))
    cells = frames.of_texts(cells, frames.shared_texts(cells))
    return cells.groupby("source")["value"].mean().sort_values()
