"""The means that table 5 of the XferBench paper prints, which its cells give up to rounding."""

from __future__ import annotations

import csv

import pandas as pd

from isogloss.backend.experiments.xferbench.printed.tables import FOLDER, MEAN


def means() -> pd.DataFrame:
    """table, source, target, value, where `MEAN` stands for what the mean is over: with it as target, a source's score."""
    with open(FOLDER / "table5_cross_entropy.csv", encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    return pd.DataFrame(
        [
            {"table": "table 5", "source": row["source"], "target": target, "value": float(value)}
            for row in rows
            for target, value in row.items()
            if target != "source" and MEAN in {row["source"], target}
        ]
    )
