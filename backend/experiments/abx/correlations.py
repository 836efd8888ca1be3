"""How language and meaning discrimination move together over the pairs (de Seyssel et al. 2025, figures 6 and 7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from backend.metrics.correlation import pearson, pearson_rows, spearman, spearman_rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from backend.experiments.abx.arrays import PairMeans

STATISTICS = {"Spearman": spearman_rows, "Pearson": pearson_rows}


def over_checkpoints(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return one row per checkpoint and statistic: checkpoint, statistic, value, low, high (95%), n (pairs).

    `pairs` has the columns checkpoint, source, target, language, meaning (`backend.experiments.abx.queries.pairs`).
    """
    if pairs.empty:
        return _rows([], np.empty((0, 0)), np.empty((0, 0)))
    wide = pairs.pivot(index="checkpoint", columns=["source", "target"], values=["language", "meaning"])
    return _rows(wide.index.tolist(), wide["language"], wide["meaning"])


def of_means(means: PairMeans) -> pd.DataFrame:
    """Return the same from arrays, which takes a tenth of the time (`backend.experiments.abx.arrays.pair_means`)."""
    return _rows(means.checkpoints, means.language, means.meaning)


def over_pairs(pairs: pd.DataFrame, x: str, y: str) -> dict[str, float]:
    """Return the correlation of two columns over the pairs that have both, by statistic; nan where there is none."""
    across, up = pairs[x].to_numpy(), pairs[y].to_numpy()
    return {"Pearson": pearson(across, up).value, "Spearman": spearman(across, up).value}


def _rows(checkpoints: Sequence[str], language: ArrayLike, meaning: ArrayLike) -> pd.DataFrame:
    frames = []
    for name, statistic in STATISTICS.items():
        found = statistic(language, meaning)
        columns = {"value": found.value, "low": found.low, "high": found.high, "n": found.n}
        frames.append(pd.DataFrame({"checkpoint": list(checkpoints), "statistic": name, **columns}))
    return pd.concat(frames).sort_index(kind="stable").reset_index(drop=True)
