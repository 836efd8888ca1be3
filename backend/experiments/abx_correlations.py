"""How language and meaning discrimination move together over the pairs (de Seyssel et al. 2025, figures 6 and 7)."""

from __future__ import annotations

import pandas as pd

from backend.metrics.correlation import pearson, spearman


def over_checkpoints(pairs: pd.DataFrame) -> pd.DataFrame:
    """One row a checkpoint and statistic: checkpoint, statistic, value, low, high (95%), n (pairs).

    `pairs` has the columns checkpoint, language, meaning (`backend.store.abx_views.pairs`).
    """
    rows = []
    for checkpoint, group in pairs.groupby("checkpoint", sort=False):
        for name, statistic in (("Spearman", spearman), ("Pearson", pearson)):
            found = statistic(group["language"].to_numpy(), group["meaning"].to_numpy())
            rows.append((checkpoint, name, found.value, found.low, found.high, found.n))
    return pd.DataFrame(rows, columns=["checkpoint", "statistic", "value", "low", "high", "n"])
