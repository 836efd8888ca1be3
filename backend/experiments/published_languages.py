"""The languages of the experiments of de Seyssel et al. 2025, as its table 2 ticks them, for the families that repeat them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pandas as pd

FILE = Path(__file__).with_suffix(".csv")


@cache
def languages() -> pd.DataFrame:
    """Return the languages of each experiment: code, language and a `yes` where it was used. Read once: not to be changed."""
    return pd.read_csv(FILE, keep_default_na=False)


def languages_of(experiment: str) -> list[str]:
    """Return the codes of the languages of one experiment, a column of `languages`, in alphabetical order."""
    table = languages()
    return [str(code) for code in table.loc[table[experiment] == "yes", "code"]]
