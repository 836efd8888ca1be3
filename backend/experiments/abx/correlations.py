"""How language and meaning discrimination move together over the pairs (de Seyssel et al. 2025, figures 6 and 7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from isogloss.backend.experiments.abx.pair_means import pair_means
from isogloss.backend.metrics import permutation_of_each
from isogloss.backend.metrics.correlation import pearson, pearson_rows, spearman, spearman_rows
from isogloss.backend.metrics.orders import MANY
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import ArrayLike, NDArray

    from isogloss.backend.experiments.abx.queries import Pairs

STATISTICS = {"Spearman": spearman_rows, "Pearson": pearson_rows}


@in_recipes
def over_checkpoints(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return one row per checkpoint and statistic: checkpoint, statistic, value, low, high (95%), n (pairs), p.

    p is two-sided, from permuting languages (pairs share them), as in Relations. `pairs` has the columns checkpoint, source,
    target, language, meaning (`backend.experiments.abx.queries.pairs`).
    """
    if pairs.empty:
        return _rows([], [], np.empty((0, 0)), np.empty((0, 0)))
    wide = pairs.pivot(index="checkpoint", columns=["source", "target"], values=["language", "meaning"])
    return _rows(wide.index.tolist(), wide["language"].columns.tolist(), wide["language"], wide["meaning"])


@in_recipes
def of_files(
    files: Sequence[Path],
    languages: Sequence[str],
    checkpoints: Sequence[str],
    layers: Sequence[int],
    *,
    pairs: Pairs = None,
) -> pd.DataFrame:
    """Return the same from arrays, with the arguments of `queries.pairs`: of 40 checkpoints no frame holds every pair."""
    means = pair_means(files, languages, checkpoints, layers, pairs)
    return _rows(means.checkpoints, means.pairs, means.language, means.meaning)


def over_pairs(pairs: pd.DataFrame, x: str, y: str) -> dict[str, float]:
    """Return the correlation of two columns over the pairs that have both, by statistic; nan where there is none."""
    across, up = pairs[x].to_numpy(), pairs[y].to_numpy()
    return {"Pearson": pearson(across, up).value, "Spearman": spearman(across, up).value}


def _rows(
    checkpoints: Sequence[str], pairs: Sequence[tuple[str, str]], language: ArrayLike, meaning: ArrayLike
) -> pd.DataFrame:
    frames = []
    squares = [_squares(pairs, np.asarray(values, np.float64)) for values in (language, meaning)]
    for name, statistic in STATISTICS.items():
        found = statistic(language, meaning)
        both = map(_with_both, *squares)
        _, p = permutation_of_each.of_each(both, ranks=name == "Spearman", amount=MANY)
        columns = {"value": found.value, "low": found.low, "high": found.high, "n": found.n, "p": p}
        frames.append(pd.DataFrame({"checkpoint": list(checkpoints), "statistic": name, **columns}))
    return pd.concat(frames).sort_index(kind="stable").reset_index(drop=True)


def _squares(pairs: Sequence[tuple[str, str]], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a symmetric matrix [languages, languages] for each row [checkpoints, pairs], nan where a pair has no value."""
    place = {name: at for at, name in enumerate(sorted({tag for pair in pairs for tag in pair}))}
    down, across = (np.array([place[pair[end]] for pair in pairs], np.intp) for end in (0, 1))
    found = np.full((len(values), len(place), len(place)), np.nan)
    found[:, down, across] = found[:, across, down] = values
    return found


def _with_both(language: NDArray[np.float64], meaning: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return both matrices of a checkpoint over the languages that have a pair with both."""
    has = (np.isfinite(language) & np.isfinite(meaning)).any(axis=0)
    return (language, meaning) if has.all() else (language[has][:, has], meaning[has][:, has])
