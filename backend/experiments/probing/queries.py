"""Aggregate the scores of probes for the figures: means over seeds from arrays (`means`), each seed's own with SQL.

Every function takes what `served` found, and the metrics. A score is a mean over seeds with the 95% interval of its file; a
mean over languages or layers has the mean of their intervals, as in ABX.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from isogloss.backend.experiments.probing.means import NUMBERS, Means, framed, means
from isogloss.backend.experiments.probing.spec import FAMILY, LEARNED, MEAN, ProbingShard, ProbingSpec, targets_by_file
from isogloss.backend.recipe_mark import depends_on, in_recipes
from isogloss.backend.store import scores
from isogloss.backend.store.cube import NO_LAYER, mean_of_known
from isogloss.backend.store.scores import query

Mix = Literal["mean of layers", "learned mix"]
At = Sequence[int] | Mix
"""Layers, over which the mean is taken, or what is made of all of them together."""

LENGTH = "description_length"
"""The measure of which less is better."""
PAIR = ["metric", "checkpoint", "source", "target"]
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
    wanted: tuple[tuple[str, frozenset[str]], ...]
    """Of each file its run, and the targets that are taken from it: it may hold more than was asked for."""
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
    files: dict[Path, frozenset[str]] = {}
    missing = []
    for shard in spec.every_shard():
        have = by_place.get((shard.checkpoint.fingerprint, shard.source), [])
        by_file = targets_by_file(spec.provenance(shard), have)
        files |= {file.path: targets for file, targets in by_file.items()}
        if sum(map(len, by_file.values())) < len(spec.targets_of(shard.source)):
            missing.append(shard)
    return Served(tuple(files), tuple((path.stem, targets) for path, targets in files.items()), tuple(missing))


@in_recipes
def rows(found: Served, metrics: Sequence[str]) -> pd.DataFrame:
    """Return every score of these metrics: metric, checkpoint, layer, mix, source, target, value, low, high, n.

    Scores of a layer have no `mix`, those of a mix no layer, the most frequent tags' neither.
    """
    parts, columns = _parts(found, metrics), []
    for part in parts:
        layer, pair = np.nonzero(part.there)
        numbers = {name: field[layer, pair] for name, field in part.numbers.items()}
        columns.append({"layer": part.layers[layer], "pair": pair, **numbers, "n": part.counts[layer, pair]})
    names = ["metric", "checkpoint", "layer", "mix", "source", "target", *NUMBERS, "n"]
    return framed(parts, columns, [*PAIR, "mix", "layer"], names)


@in_recipes
def grid(found: Served, metrics: Sequence[str]) -> pd.DataFrame:
    """Mean over the pairs of languages, a row a layer or mix: metric, checkpoint, layer, mix, value, low, high, pairs, n."""
    parts, columns = _parts(found, metrics), []
    for part in parts:
        sums = {name: np.nansum(field, axis=1) for name, field in part.numbers.items()}
        counts = {f"{name}_count": np.isfinite(field).sum(axis=1) for name, field in part.numbers.items()}
        of_layer = {"pairs": part.there.sum(axis=1), "n": np.nanmin(part.counts, axis=1)}
        columns.append({"layer": part.layers, **sums, **counts, **of_layer})
    keys = ["metric", "checkpoint", "mix", "layer"]
    how = dict.fromkeys([*NUMBERS, *(f"{name}_count" for name in NUMBERS), "pairs"], "sum") | {"n": "min"}
    summed = framed(parts, columns, keys, [*keys, *how])
    summed = summed.groupby(keys, as_index=False, dropna=False, sort=False).agg(how)
    for name in NUMBERS:
        summed[name] = summed[name].where(summed[f"{name}_count"] > 0) / summed[f"{name}_count"]
    return summed[["metric", "checkpoint", "layer", "mix", *NUMBERS, "pairs", "n"]]


@in_recipes
def by_pair(found: Served, metrics: Sequence[str], at: At) -> pd.DataFrame:
    """Mean over `at`, a row a checkpoint, source and target: metric, checkpoint, source, target, value, low, high, n.

    Where probes are monolingual source and target are the same. Metrics without a layer are those of the pair.
    """
    parts, columns = [], []
    for part in _parts(found, metrics):
        if (some := _chosen(part, at)) is not None:
            pair = np.flatnonzero(some.there.any(axis=0))
            means = {name: mean_of_known(field[:, pair], 0)[0] for name, field in some.numbers.items()}
            columns.append({"pair": pair, **means, "n": np.nanmin(some.n[:, pair], axis=0)})
            parts.append(some)
    return framed(parts, columns, PAIR, [*PAIR, *NUMBERS, "n"])


@in_recipes
def best_layers(found: Served, metrics: Sequence[str]) -> pd.DataFrame:
    """Return the layer of the best score: metric, checkpoint, source, target, layer, value, low, high, n.

    The best is the highest, of description lengths the lowest; of equal layers the lowest.
    """
    parts = [part for part in _parts(found, metrics) if part.mix is None and not part.has_no_layer]
    columns = []
    for part in parts:
        value = part.numbers["value"] * (-1 if part.metric == LENGTH else 1)
        pair = np.flatnonzero(part.there.any(axis=0))
        known = np.where(part.there, np.where(np.isnan(value), -np.inf, value), np.nan)
        best = np.nanargmax(known[:, pair], axis=0)
        numbers = {name: field[best, pair] for name, field in part.numbers.items()}
        columns.append({"layer": part.layers[best], "pair": pair, **numbers, "n": part.counts[best, pair]})
    return framed(parts, columns, PAIR, [*PAIR, "layer", *NUMBERS, "n"])


def _parts(found: Served, metrics: Sequence[str]) -> list[Means]:
    return means(found.files, dict(found.wanted), metrics)


def _chosen(part: Means, at: At) -> Means | None:
    """Return a measure at these layers, or that of this mix, or one that has neither; None of any other."""
    if isinstance(at, str) or part.mix is not None:
        return part if part.mix == at or part.has_no_layer else None
    some = np.isin(part.layers, [NO_LAYER, *at])
    return part.at(some) if some.any() else None


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
    every = frozenset[str]().union(*(targets for _, targets in found.wanted))
    alike = all(targets == every for _, targets in found.wanted)
    keys = sorted(every) if alike else [f"{run} {target}" for run, targets in found.wanted for target in sorted(targets)]
    sql = (ROWS + statement).replace("{wanted}", "target" if alike else "run || ' ' || target")
    return query(sql, {"metrics": list(metrics), "keys": keys} | more, found.files)
