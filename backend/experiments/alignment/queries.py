"""Aggregate retrieval accuracies for the figures, with SQL over their files; means of large ones from their sums.

A word pair's accuracy at a layer has a row a run: its value is their mean, its interval Student's over the runs, or that of the
single run where all runs would be the same. A mean over pairs of languages has the mean of their intervals, as in ABX.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import pandas as pd
import scipy  # its submodules load when they are first used

from isogloss.backend.experiments.alignment.rows import FAMILY
from isogloss.backend.recipe_mark import in_recipes
from isogloss.backend.store import sums
from isogloss.backend.store.cube import NO_LAYER, Cube, cubes
from isogloss.backend.store.over_pairs import ENDS
from isogloss.backend.store.scores import FOOTER, known, query

if TYPE_CHECKING:
    from numpy.typing import NDArray

Ways = Literal["both", "forward", "backward"]


@in_recipes
@dataclass(frozen=True)
class Among:
    """Every pair of some languages in files that each have all of them: 41,412 directions of 204 languages, in a line."""

    runs: Sequence[str]
    languages: Sequence[str]
    ways: Ways = "both"
    """Of a pair: from the language that is first in the alphabet to the other, back, or both."""

    def directions(self) -> list[tuple[str, str]]:
        """List the directed pairs."""
        return [pair for pair in permutations(sorted(self.languages), 2) if self.goes(*pair)]

    def goes(self, source: str, target: str) -> bool:
        """Return whether this direction is one of the `ways`."""
        return self.ways == "both" or (source < target) == (self.ways == "forward")


Wanted: TypeAlias = Sequence[tuple[str, str, str]] | Among
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
COLUMNS = [*BY, "source", "target", "value", "deviation", "runs", "n", "low", "high"]
"""Of a row a directed pair."""
FEW = 3
"""Layers up to which rows are taken from arrays: a query looks for each of thousands of pairs."""
SUMS = (
    OF_PAIRS.replace("{{at}}", "")
    + "SELECT {by}, "
    + ", ".join(f"sum({name}) AS {name}, count({name}) AS {name}_count" for name in ENDS)
    + ", count(*) AS pairs, min(n) AS n FROM {of} GROUP BY ALL ORDER BY ALL"
)
OF_EACH = "(SELECT *, unnest([source, target]) AS language FROM pairs)"
"""Every directed pair twice, once for each of its languages."""


def student(runs: int) -> float:
    """Half-width of Student's 95% interval of a mean of `runs` runs, in standard errors; 0 for a single run."""
    return float(scipy.special.stdtrit(runs - 1, 0.975)) if runs > 1 else 0.0


def listed(wanted: Wanted, runs: Collection[str] | None = None) -> list[tuple[str, str, str]]:
    """List what is wanted, of these `runs` alone where they are given."""
    if isinstance(wanted, Among):
        return [(run, *pair) for run in wanted.runs if runs is None or run in runs for pair in wanted.directions()]
    return [each for each in wanted if runs is None or each[0] in runs]


def _parameters(
    wanted: Sequence[tuple[str, str, str]], metrics: Sequence[str], variants: Sequence[str], runs: int
) -> dict[str, object]:
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
    if runs == 1 and (found := _of_layers(files, wanted, metrics, variants, layers)) is not None:
        return found
    at = "" if layers is None else f" AND layer IN ({', '.join(str(int(layer)) for layer in layers) or 'NULL'})"
    return query(
        OF_PAIRS.replace("{{at}}", at) + "SELECT * FROM pairs ORDER BY metric, variant, checkpoint, layer, source, target",
        _parameters(listed(wanted), metrics, variants, runs),
        files,
    )


def _of_layers(
    files: Sequence[Path], wanted: Wanted, metrics: Sequence[str], variants: Sequence[str], layers: Sequence[int] | None
) -> pd.DataFrame | None:
    """Return what `pairs` does of a few layers; None of more of them, and where files may have rows of the same pairs."""
    if not files or not layers or len(layers) > FEW:
        return None
    found = {}
    for path in files:
        for cube in cubes(path, layers=layers, metrics=metrics):
            key = cube.variant, cube.checkpoint
            if key in found or cube.experiment != FAMILY or None in key or NO_LAYER in cube.layers:
                return None
            found[key] = cube, _asked(cube, wanted)
    parts = [
        _rows_of(found[key][0], found[key][1], metric, np.isin(found[key][0].layers, layers))
        for metric in sorted(set(metrics))
        for key in sorted(found, key=str)
        if key[0] in variants and metric in found[key][0].metrics
    ]
    return pd.concat(parts, ignore_index=True) if parts else None


def _asked(cube: Cube, wanted: Wanted) -> NDArray[np.bool_]:
    """Return which of a cube's pairs are wanted of its run."""
    if not isinstance(wanted, Among):
        return cube.pairs.among(cube.pairs.names, [(source, target) for run, source, target in wanted if run == cube.run])
    among = cube.pairs.among(wanted.languages if cube.run in wanted.runs else ())
    forward: NDArray[np.bool_] = cube.pairs.source < cube.pairs.target
    backward: NDArray[np.bool_] = cube.pairs.source > cube.pairs.target
    return among & {"forward": forward, "backward": backward, "both": forward | backward}[wanted.ways]


def _rows_of(cube: Cube, some: NDArray[np.bool_], metric: str, at: NDArray[np.bool_]) -> pd.DataFrame:
    """Return the rows of `pairs` of one measure of a cube."""
    value, low, high, n = (
        cube.fields[name][cube.metrics.index(metric)][np.ix_(at, some)] for name in ("value", "low", "high", "n")
    )
    layer, pair = np.nonzero(np.isfinite(n))
    names = pd.array(cube.pairs.names, dtype="str")
    ends = {name: names.take(own[some][pair]) for name, own in (("source", cube.pairs.source), ("target", cube.pairs.target))}
    numbers = {"value": value[layer, pair], "deviation": np.nan, "runs": 1, "n": n[layer, pair].astype(np.int64)}
    rows = pd.DataFrame(
        ends | numbers | {"low": low[layer, pair], "high": high[layer, pair], "layer": cube.layers[at][layer].astype(np.int16)}
    )
    for name, text in (("metric", metric), ("variant", cube.variant), ("checkpoint", cube.checkpoint)):
        rows[name] = pd.array([text], dtype="str").take(np.zeros(len(rows), np.intp))
    return rows[COLUMNS]


@in_recipes
def grid(files: Sequence[Path], wanted: Wanted, metrics: Sequence[str], variants: Sequence[str], runs: int = 1) -> pd.DataFrame:
    """Mean accuracy over the directed pairs: metric, variant, checkpoint, layer, value, low, high, pairs, n."""
    rows = _means(files, wanted, metrics, variants, runs, each_language=False)
    return rows[[*BY, *ENDS, "pairs", "n"]]


@in_recipes
def by_language(
    files: Sequence[Path], wanted: Wanted, metrics: Sequence[str], variants: Sequence[str], runs: int = 1
) -> pd.DataFrame:
    """Mean accuracy over the directed pairs that a language is in: the columns of `grid`, and language, but for n."""
    rows = _means(files, wanted, metrics, variants, runs, each_language=True)
    return rows[[*BY, "language", *ENDS, "pairs"]]


def _means(
    files: Sequence[Path], wanted: Wanted, metrics: Sequence[str], variants: Sequence[str], runs: int, *, each_language: bool
) -> pd.DataFrame:
    """Return what `grid` does, or `by_language`, with the sums of large files as they are kept."""
    parts: list[pd.DataFrame] = []
    others: list[Path] = []
    for path in files:
        summed = _of_large(path, wanted, metrics, variants, each_language=each_language) if runs == 1 else None
        if summed is None:
            others.append(path)
        else:
            parts.append(summed)
    by = [*BY, "language"] if each_language else BY
    if others or not parts:
        left = listed(wanted, {path.stem for path in others})
        sums_of = SUMS.replace("{by}", ", ".join(by)).replace("{of}", OF_EACH if each_language else "pairs")
        parts.append(query(sums_of, _parameters(left, metrics, variants, runs), others))
    rows = pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)
    if len(files) > len(others):  # the pairs of a checkpoint may lie in several files
        of_each = rows.groupby(by, as_index=False, dropna=False)
        added = of_each[["pairs", *ENDS, *(f"{name}_count" for name in ENDS)]].sum(skipna=False)  # an unknown end is not 0
        rows = added if each_language else added.assign(n=of_each["n"].min()["n"])
    for name in ENDS:
        rows[name] = rows[name].where(rows[f"{name}_count"] > 0) / rows[f"{name}_count"]
    return rows


def _amounts(directions: Collection[tuple[str, str]], names: Sequence[str], *, each_language: bool) -> NDArray[np.int64]:
    """Return how many of the directed pairs there are, or how many each of the languages is in."""
    if not each_language:
        return np.array(len(directions))
    of_each = Counter(tag for pair in directions for tag in pair)
    return np.array([of_each[name] for name in names])


def _once_a_pair(path: Path) -> set[tuple[str | None, str]]:
    """Return the variants and metrics of which a file has no pair backward: a cosine has no direction."""
    said = [each for file in known([path]) for each in file.provenance.get(FOOTER, ())]
    forward, directed = (
        {(each["variant"], each["metric"]) for each in said if each["directed"] == is_} for is_ in (False, True)
    )
    return forward - directed


def _of_large(
    path: Path, wanted: Wanted, metrics: Sequence[str], variants: Sequence[str], *, each_language: bool
) -> pd.DataFrame | None:
    """Return the rows of `SUMS` of a large file, without reading other pairs, or any where all are wanted.

    None of any other file, and of one in which some wanted number is unknown, or there twice.
    """
    if isinstance(wanted, Among) and wanted.ways == "both" and path.stem in wanted.runs:
        names = tuple(sorted(wanted.languages))
        amounts = np.full(len(names), 2 * (len(names) - 1)) if each_language else np.array(len(names) * (len(names) - 1))
        forward = amounts // 2
        found = sums.over_some(path, (names, None), each_language=each_language)
    else:
        directions = {(source, target) for _, source, target in listed(wanted, {path.stem})}
        names = tuple(sorted({tag for pair in directions for tag in pair}))
        amounts = _amounts(directions, names, each_language=each_language)
        forward = _amounts({pair for pair in directions if pair[0] < pair[1]}, names, each_language=each_language)
        found = sums.over_wanted(path, list(directions), each_language=each_language)
    summed = [cube for cube in found or () if cube.variant in variants]
    series = {(cube.checkpoint, cube.variant) for cube in summed}
    if not summed or len(series) < len(summed) or any(cube.experiment != FAMILY for cube in summed):
        return None
    parts, once = [], _once_a_pair(path)
    for cube in summed:
        own = np.flatnonzero(np.isin(cube.metrics, list(metrics)))
        total, count = (cube.fields[name][:, own] for name in ("total", "count"))
        there = np.stack([forward if (cube.variant, each) in once else amounts for each in cube.metrics])[own]
        if not ((count == 0) | (count == np.expand_dims(there, 1))).all():
            return None
        metric, layer, *language = np.nonzero(count[0])
        places = (metric, layer, *language)
        at = {"metric": np.array(cube.metrics, object)[own][metric], "variant": cube.variant, "checkpoint": cube.checkpoint}
        at |= {"layer": np.where(cube.layers == NO_LAYER, np.nan, cube.layers)[layer]}
        at |= {"language": np.array(names, object)[language[0]]} if language else {"n": cube.fields["n"][own][metric, layer]}
        at |= {name: total[end][places] for end, name in enumerate(ENDS)}
        at |= {f"{name}_count": count[end][places] for end, name in enumerate(ENDS)}
        parts.append(pd.DataFrame(at | {"pairs": count[0][places]}))
    rows = pd.concat(parts, ignore_index=True)
    return rows.astype({"layer": "int16"} if rows["layer"].notna().all() else {})
