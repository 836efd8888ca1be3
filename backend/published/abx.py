"""The numbers printed in de Seyssel et al. 2025 (XLM-R base, 39 checkpoints, 36 languages of WMT24++)."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

FOLDER = Path(__file__).parent


def correlations() -> pd.DataFrame:
    """Sections 4.1 and 4.2: where, quantity, statistic, value (−1 to 1), p."""
    return pd.read_csv(FOLDER / "abx_correlations.csv", dtype={"p": str})


def regressions() -> pd.DataFrame:
    """Table 1: setting, task, checkpoint, r2 (0 to 1) and the coefficients of both scores with their p."""
    return pd.read_csv(FOLDER / "abx_table1_regressions.csv")


def languages() -> pd.DataFrame:
    """The languages of each experiment: code, language and a `yes` where it was used."""
    return pd.read_csv(FOLDER / "abx_languages.csv", keep_default_na=False)
