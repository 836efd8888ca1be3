"""Aggregate the scores of probes for the figures, each with one SQL query over the files that serve a spec.

Every function takes what `served` found, and the metrics. A score is a mean over seeds with the 95% interval of its file; a
mean over languages or layers has the mean of their intervals, as in ABX.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pandas as pd

from isogloss.backend.experiments.probing.spec import FAMILY, LEARNED, MEAN, ProbingShard, ProbingSpec, serving
from isogloss.backend.recipe_mark import depends_on, in_recipes
from isogloss.backend.store import scores
from isogloss.backend.store.scores import query

Mix = Literal["mean of layers", "learned mix"]
At = Sequence[int] | Mix
"""Layers, over which the mean is taken, or what is made of all of them together."""

LENGTH = "description_length"
"""The measure of which less is better."""
ROWS = f"""
WITH rows AS (
  SELECT metric, checkpoint, step, layer, source, target, seed, value, low, high, n,
    CASE WHEN ends_with(variant, '/{MEAN}') THEN '{MEAN}' WHEN ends_with(variant, '/{LEARNED}') THEN '{LEARNED}' END AS mix
  FROM {{scores}} WHERE experiment = '{FAMILY}' AND list_contains($metrics, metric)
    AND {{wanted}} IN (SELECT unnest($keys))
)
"""
"""`mix` is null for a layer, and for what has none: the lines of the most frequent tags. `wanted`: see `_ask`."""
HERE = "(CASE WHEN $mix = '' THEN list_contains($layers, layer) ELSE mix IS NOT DISTINCT FROM $mix END)"


@dataclass(frozen=True)
class Served:
    """What is computed of a spec."""

    files: tuple[Path, ...]
    wanted: tuple[tuple[str, str], ...]
    """The run and the target of every pair of languages that is there: a file may hold more than was asked for."""
    missing: tuple[ProbingShard, ...]
    """Those of which some target is not there."""


def _files_and_times(spec: ProbingSpec, workspaces: Sequence[Path]) -> tuple[tuple[str, float], ...]:  # noqa: ARG001
    """Return all files of probes with when each was published: any of them may serve a spec."""
    return tuple((str(file.path), file.modified) for file in scores.shards(workspaces, FAMILY))


@in_recipes
@depends_on(_files_and_times)
def served(spec: ProbingSpec, workspaces: Sequence[Path]) -> Served:
    """Find the files that have the scores of `spec`, its own or those of other specs that ask for the same."""
    by_place: dict[tuple[str, str], list[scores.ShardFile]] = {}
    for file in scores.shards(workspaces, FAMILY):
        by_place.setdefault((file.provenance["fingerprint"], file.provenance["source"]), []).append(file)
    files: dict[Path, None] = {}
    wanted, missing = [], []
    for shard in spec.every_shard():
        have = by_place.get((shard.checkpoint.fingerprint, shard.source), [])
        by_target = serving(spec.provenance(shard), have)
        targets = spec.targets_of(shard.source)
        files |= dict.fromkeys(by_target[target].path for target in targets if target in by_target)
        wanted += [(by_target[target].run, target) for target in targets if target in by_target]
        if len(by_target) < len(targets):
            missing.append(shard)
    return Served(tuple(files), tuple(wanted), tuple(missing))


@in_recipes
def rows(found: Served, metrics: Sequence[str]) -> pd.DataFrame:
    """Return every score of these metrics: metric, checkpoint, layer, mix, source, target, value, low, high, n.

    Scores of a layer have no `mix`, those of a mix no layer, the most frequent tags' neither.
    """
    return _ask(
        "SELECT metric, checkpoint, layer, mix, source, target, value, low, high, n FROM rows WHERE seed IS NULL "
        "ORDER BY metric, checkpoint, source, target, mix NULLS FIRST, layer",
        found,
        metrics,
    )


@in_recipes
def grid(found: Served, metrics: Sequence[str]) -> pd.DataFrame:
    """Mean over the pairs of languages, a row a layer or mix: metric, checkpoint, layer, mix, value, low, high, pairs, n."""
    return _ask(
        "SELECT metric, checkpoint, layer, mix, avg(value) AS value, avg(low) AS low, avg(high) AS high, count(*) AS pairs, "
        "min(n) AS n FROM rows WHERE seed IS NULL GROUP BY metric, checkpoint, layer, mix "
        "ORDER BY metric, checkpoint, mix NULLS FIRST, layer",
        found,
        metrics,
    )


@in_recipes
def by_pair(found: Served, metrics: Sequence[str], at: At) -> pd.DataFrame:
    """Mean over `at`, a row a checkpoint, source and target: metric, checkpoint, source, target, value, low, high, n.

    Where probes are monolingual source and target are the same. Metrics without a layer are those of the pair.
    """
    return _ask(
        "SELECT metric, checkpoint, source, target, avg(value) AS value, avg(low) AS low, avg(high) AS high, min(n) AS n "
        f"FROM rows WHERE seed IS NULL AND ({HERE} OR (layer IS NULL AND mix IS NULL)) "
        "GROUP BY metric, checkpoint, source, target ORDER BY metric, checkpoint, source, target",
        found,
        metrics,
        **_at(at),
    )


@in_recipes
def best_layers(found: Served, metrics: Sequence[str]) -> pd.DataFrame:
    """Return the layer of the best score: metric, checkpoint, source, target, layer, value, low, high, n.

    The best is the highest, of description lengths the lowest; of equal layers the lowest.
    """
    return _ask(
        "SELECT metric, checkpoint, source, target, layer, value, low, high, n FROM rows "
        "WHERE seed IS NULL AND layer IS NOT NULL QUALIFY row_number() OVER (PARTITION BY metric, checkpoint, source, target "
        f"ORDER BY CASE WHEN metric = '{LENGTH}' THEN value ELSE -value END, layer) = 1 "
        "ORDER BY metric, checkpoint, source, target",
        found,
        metrics,
    )


@in_recipes
def seed_grid(found: Served, metrics: Sequence[str]) -> pd.DataFrame:
    """As `grid` for each seed: metric, checkpoint, layer, mix, seed, value, pairs, n."""
    return _ask(
        "SELECT metric, checkpoint, layer, mix, seed, avg(value) AS value, count(*) AS pairs, min(n) AS n FROM rows "
        "WHERE seed IS NOT NULL GROUP BY metric, checkpoint, layer, mix, seed "
        "ORDER BY metric, checkpoint, mix NULLS FIRST, layer, seed",
        found,
        metrics,
    )


@in_recipes
def by_seed(found: Served, metrics: Sequence[str], at: At) -> pd.DataFrame:
    """Mean over `at` and the pairs of languages for each seed: metric, checkpoint, seed, value, n."""
    return _ask(
        "SELECT metric, checkpoint, seed, avg(value) AS value, min(n) AS n FROM rows "
        f"WHERE seed IS NOT NULL AND {HERE} GROUP BY metric, checkpoint, seed ORDER BY metric, checkpoint, seed",
        found,
        metrics,
        **_at(at),
    )


def _at(at: At) -> dict[str, object]:
    """Return the parameters of `HERE`."""
    return {"mix": at if isinstance(at, str) else "", "layers": [] if isinstance(at, str) else [int(layer) for layer in at]}


def _ask(statement: str, found: Served, metrics: Sequence[str], **more: object) -> pd.DataFrame:
    """Run a statement over the `rows` that are wanted: of every file the same targets (soon found), or each file's own."""
    targets: dict[str, set[str]] = {}
    for run, target in found.wanted:
        targets.setdefault(run, set()).add(target)
    every = {target for own in targets.values() for target in own}
    alike = all(own == every for own in targets.values())
    keys = sorted(every) if alike else [" ".join(key) for key in found.wanted]
    sql = (ROWS + statement).replace("{wanted}", "target" if alike else "run || ' ' || target")
    return query(sql, {"metrics": list(metrics), "keys": keys} | more, found.files)
