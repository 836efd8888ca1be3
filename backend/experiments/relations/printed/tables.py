"""What de Seyssel et al. 2025 print of regressions (table 1) and of choosing by LD (appendices H and K)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pandas as pd

FOLDER = Path(__file__).parent
PAPER = "de Seyssel et al. 2025"
SETTING = "XLM-R base, LD and MD on WMT24++ over all layers"
TASKS = "outcome: accuracy of a probe."


@cache
def regressions() -> pd.DataFrame:
    """Table 1: setting, task, checkpoint, r2 (0 to 1) and the coefficients of both scores with their p. Not to be changed."""
    return pd.read_csv(FOLDER / "table1_regressions.csv")


@cache
def selection() -> pd.DataFrame:
    """Appendices H and K: where, quantity, statistic, value, p. Read once: not to be changed."""
    return pd.read_csv(FOLDER / "selection.csv", dtype=str, keep_default_na=False)
