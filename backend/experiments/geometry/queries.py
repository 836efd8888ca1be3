"""Scores of geometry for its figures: what ABX's queries (`abx.queries`) do not have, from the same cubes.

Means over pairs, layers and languages are ABX's queries: a language's own score stands there as a pair with itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from isogloss.backend.recipe_mark import in_recipes
from isogloss.backend.store.cube import cubes, mean_of_known

Pairs = Sequence[tuple[str, str]] | None
"""Two languages each, in alphabetical order; None for all."""
PAIR = ["checkpoint", "source", "target"]
ENDS = ("value", "low", "high")


@in_recipes
def of_pairs(
    files: Sequence[Path],
    languages: Sequence[str],
    checkpoints: Sequence[str],
    layers: Sequence[int],
    metric: str,
    *,
    pairs: Pairs = None,
) -> pd.DataFrame:
    """Return a measure of each pair, mean over `layers`: checkpoint, source, target, value, low, high, n (sentences).

    Raises `StoreError` where a file is gone or damaged.
    """
    found = []
    read = [cube for path in files for cube in cubes(path, layers=layers, metrics=(metric,))]
    kept = [cube for cube in read if cube.checkpoint in set(checkpoints) and metric in cube.metrics]
    for cube in sorted(kept, key=lambda cube: str(cube.checkpoint)):
        among, place = np.isin(cube.layers, list(layers)), cube.metrics.index(metric)
        some = np.flatnonzero(cube.pairs.among(languages, pairs))
        means = {name: mean_of_known(cube.fields[name][place, among][:, some], 0)[0] for name in (*ENDS, "n")}
        known = np.isfinite(means["value"])
        some, names = some[known], pd.array(cube.pairs.names, dtype="str")
        at = {"checkpoint": pd.array([cube.checkpoint], dtype="str").take(np.zeros(len(some), np.intp))}
        at |= {"source": names.take(cube.pairs.source[some]), "target": names.take(cube.pairs.target[some])}
        found.append(pd.DataFrame(at | {name: mean[known] for name, mean in means.items()}))
    rows = pd.concat(found, ignore_index=True) if found else pd.DataFrame(columns=[*PAIR, *ENDS, "n"])
    if len({cube.checkpoint for cube in kept}) == len(kept):
        return rows  # in order, as each file's pairs are
    return rows.drop_duplicates(PAIR).sort_values(PAIR, ignore_index=True)


@in_recipes
def of_pairs_by_layer(
    files: Sequence[Path],
    languages: Sequence[str],
    checkpoints: Sequence[str],
    layers: Sequence[int],
    metric: str,
    *,
    pairs: Pairs = None,
) -> pd.DataFrame:
    """Return a measure of each pair at each of `layers`, as `of_pairs` does, with the column `layer`."""
    found = [of_pairs(files, languages, checkpoints, [layer], metric, pairs=pairs).assign(layer=layer) for layer in layers]
    return pd.concat(found, ignore_index=True) if found else of_pairs([], languages, checkpoints, [], metric).assign(layer=0)


@in_recipes
def highest_over_layers(frame: pd.DataFrame, layers: Sequence[int]) -> pd.DataFrame:
    """Return each language's row at the one of `layers` where its value is highest, the first of equal ones.

    `frame` is what `abx.queries.by_language_and_layer` gives, labelled. The interval is that layer's: the highest of several
    lies higher by chance, which it does not show.
    """
    known = frame[frame["layer"].isin(list(layers)) & frame["value"].notna()]
    of = ["metric", "model", "checkpoint", "position", "language"]
    return known.loc[known.groupby(of, sort=False)["value"].idxmax()].reset_index(drop=True)
