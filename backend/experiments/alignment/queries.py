"""Aggregate retrieval accuracies for the figures, each with one SQL query over the files that cover a selection.

A word pair's accuracy at a layer has a row a run: its value is their mean, its interval Student's over the runs, or that of the
single run where all runs would be the same. A mean over pairs of languages has the mean of their intervals, as in ABX.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import pandas as pd

from isogloss.backend.recipe_mark import in_recipes
from isogloss.backend.store.scores import query

Wanted: TypeAlias = Sequence[tuple[str, str, str]]
"""(run, source, target): which shard serves which pair."""
OF_PAIRS = """
WITH wanted AS (SELECT unnest($asked_runs) AS run, unnest($sources) AS source, unnest($targets) AS target),
rows AS (
  SELECT * FROM {scores} SEMI JOIN wanted USING (run, source, target)
  WHERE experiment = 'alignment' AND list_contains($metrics, metric) AND list_contains($variants, variant)
),
pairs AS (
  SELECT metric, variant, checkpoint, layer, source, target,
    avg(value) AS value, stddev_samp(value) AS deviation, count(*) AS runs, min(n) AS n,
    CASE count(*) WHEN 1 THEN min(low) ELSE avg(value) - $t * stddev_samp(value) / sqrt(count(*)) END AS low,
    CASE count(*) WHEN 1 THEN min(high) ELSE avg(value) + $t * stddev_samp(value) / sqrt(count(*)) END AS high
  FROM rows
  GROUP BY metric, variant, checkpoint, layer, source, target
)
"""


def student(runs: int) -> float:
    """Half-width of Student's 95% interval of a mean of `runs` runs, in standard errors; 0 for a single run."""
    from scipy.stats import t

    return float(t.ppf(0.975, runs - 1)) if runs > 1 else 0.0


def _parameters(wanted: Wanted, metrics: Sequence[str], variants: Sequence[str], runs: int) -> dict[str, object]:
    asked_runs, sources, targets = (list(each) for each in zip(*wanted, strict=True)) if wanted else ([], [], [])
    keys = {"asked_runs": asked_runs, "sources": sources, "targets": targets}
    return {**keys, "metrics": list(metrics), "variants": list(variants), "t": student(runs)}


@in_recipes
def pairs(
    files: Sequence[Path], wanted: Wanted, metrics: Sequence[str], variants: Sequence[str], runs: int = 1
) -> pd.DataFrame:
    """Mean accuracy over runs, a row a metric, variant, checkpoint, layer and directed pair.

    Columns of numbers: value, deviation (over runs), low, high, runs, n.

    `layer` is missing for static vectors.
    """
    return query(
        OF_PAIRS + "SELECT * FROM pairs ORDER BY metric, variant, checkpoint, layer, source, target",
        _parameters(wanted, metrics, variants, runs),
        files,
    )


@in_recipes
def grid(files: Sequence[Path], wanted: Wanted, metrics: Sequence[str], variants: Sequence[str], runs: int = 1) -> pd.DataFrame:
    """Mean accuracy over the directed pairs: metric, variant, checkpoint, layer, value, low, high, pairs, n."""
    return query(
        OF_PAIRS + "SELECT metric, variant, checkpoint, layer, avg(value) AS value, avg(low) AS low, avg(high) AS high, "
        "count(*) AS pairs, min(n) AS n FROM pairs GROUP BY metric, variant, checkpoint, layer "
        "ORDER BY metric, variant, checkpoint, layer",
        _parameters(wanted, metrics, variants, runs),
        files,
    )
