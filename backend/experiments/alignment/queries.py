"""Aggregate retrieval accuracies for the figures, with SQL over their files; means of large ones from their sums.

A word pair's accuracy at a layer has a row a run: its value is their mean, its interval Student's over the runs, or that of the
single run where all runs would be the same. A mean over pairs of languages has the mean of their intervals, as in ABX.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pandas as pd

from isogloss.backend.experiments.alignment.rows import FAMILY
from isogloss.backend.recipe_mark import in_recipes
from isogloss.backend.store import sums
from isogloss.backend.store.cube import NO_LAYER
from isogloss.backend.store.over_pairs import ENDS
from isogloss.backend.store.scores import query

Wanted: TypeAlias = Sequence[tuple[str, str, str]]
"""(run, source, target): which shard serves which pair."""
OF_PAIRS = """
WITH wanted AS (SELECT unnest($asked_runs) AS run, unnest($sources) AS source, unnest($targets) AS target),
rows AS (
  SELECT * FROM {scores} SEMI JOIN wanted USING (run, source, target)
  WHERE experiment = 'alignment' AND list_contains($metrics, metric) AND list_contains($variants, variant){{at}}
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


BY = ["metric", "variant", "checkpoint", "layer"]
SUMS_OF_PAIRS = (
    OF_PAIRS
    + f"SELECT {', '.join(BY)}, "
    + ", ".join(f"sum({name}) AS {name}, count({name}) AS {name}_count" for name in ENDS)
    + ", count(*) AS pairs, min(n) AS n FROM pairs GROUP BY ALL ORDER BY ALL"
)


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
    files: Sequence[Path],
    wanted: Wanted,
    metrics: Sequence[str],
    variants: Sequence[str],
    runs: int = 1,
    layers: Sequence[int] | None = None,
) -> pd.DataFrame:
    """Mean accuracy over runs, a row a metric, variant, checkpoint, layer and directed pair.

    Columns of numbers: value, deviation (over runs), low, high, runs, n. Of `layers` alone where some are given: of many pairs
    one layer is read without the others.

    `layer` is missing for static vectors.
    """
    at = "" if layers is None else f" AND layer IN ({', '.join(str(int(layer)) for layer in layers) or 'NULL'})"
    return query(
        OF_PAIRS.replace("{{at}}", at) + "SELECT * FROM pairs ORDER BY metric, variant, checkpoint, layer, source, target",
        _parameters(wanted, metrics, variants, runs),
        files,
    )


@in_recipes
def grid(files: Sequence[Path], wanted: Wanted, metrics: Sequence[str], variants: Sequence[str], runs: int = 1) -> pd.DataFrame:
    """Mean accuracy over the directed pairs: metric, variant, checkpoint, layer, value, low, high, pairs, n."""
    of_run: dict[str, list[tuple[str, str]]] = {}
    for run, *ends in wanted:
        of_run.setdefault(run, []).append((ends[0], ends[1]))
    parts: list[pd.DataFrame] = []
    others: list[Path] = []
    for path in files:
        summed = _of_large(path, of_run.get(path.stem, []), metrics, variants) if runs == 1 else None
        if summed is None:
            others.append(path)
        else:
            parts.append(summed)
    left = [each for each in wanted if each[0] in {path.stem for path in others}]
    parts.append(query(SUMS_OF_PAIRS.replace("{{at}}", ""), _parameters(left, metrics, variants, runs), others))
    rows = pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)
    if len(parts) > 1:  # the pairs of a checkpoint may lie in several files
        how = dict.fromkeys(["pairs", *ENDS, *(f"{name}_count" for name in ENDS)], "sum") | {"n": "min"}
        rows = rows.groupby(BY, as_index=False, dropna=False).agg(how)
    for name in ENDS:
        rows[name] = rows[name].where(rows[f"{name}_count"] > 0) / rows[f"{name}_count"]
    return rows[[*BY, *ENDS, "pairs", "n"]]


def _of_large(
    path: Path, wanted: Sequence[tuple[str, str]], metrics: Sequence[str], variants: Sequence[str]
) -> pd.DataFrame | None:
    """Return the rows of `SUMS_OF_PAIRS` of a large file, without reading other pairs, or any where all are wanted.

    None of any other file, and of one in which some wanted number is unknown, or there twice.
    """
    cubes = [cube for cube in sums.over_wanted(path, wanted) or () if cube.variant in variants]
    series = {(cube.checkpoint, cube.variant) for cube in cubes}
    if not cubes or len(series) < len(cubes) or any(cube.experiment != FAMILY for cube in cubes):
        return None
    parts = []
    for cube in cubes:
        own = np.flatnonzero(np.isin(cube.metrics, list(metrics)))
        total, count = (cube.fields[name][:, own] for name in ("total", "count"))
        if not np.isin(count, (0, len(set(wanted)))).all():
            return None
        metric, layer = np.nonzero(count[0])
        at = {"metric": np.array(cube.metrics, object)[own][metric], "variant": cube.variant, "checkpoint": cube.checkpoint}
        at |= {"layer": np.where(cube.layers == NO_LAYER, np.nan, cube.layers)[layer]}
        at |= {name: total[end, metric, layer] for end, name in enumerate(ENDS)}
        at |= {f"{name}_count": count[end, metric, layer] for end, name in enumerate(ENDS)}
        parts.append(pd.DataFrame(at | {"pairs": count[0, metric, layer], "n": cube.fields["n"][own][metric, layer]}))
    rows = pd.concat(parts, ignore_index=True)
    return rows.astype({"layer": "int16"} if rows["layer"].notna().all() else {})
