"""Table 1 of de Seyssel et al. 2025 as printed: probing accuracy regressed on language and meaning discrimination."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Literal

import pandas as pd

FOLDER = Path(__file__).parent
SOURCE = "de Seyssel et al. 2025, table 1"
Setting = Literal["monolingual", "cross-lingual"]
SETTINGS: dict[str, Setting] = {"Prob.": "monolingual", "CL": "cross-lingual"}
CHECKPOINTS = {"Last": "last", "Avg.": "mean", "Avg": "mean"}
"""As the table writes them: its last rows leave the dot out."""
TERMS = ("language_discrimination", "meaning_discrimination")
TERM = re.compile(r"([+-]?[\d.]+) \((.+)\)")
SIGNIFICANT = {"p < .01": 0.01, "p < .001": 0.001}


@cache
def regressions() -> pd.DataFrame:
    """A row a regression: setting, task (POS, NER, NLI), checkpoint (last, or the mean over them), r2, and the terms LD and MD.

    Each term has its coefficient, `<name>_p` as printed (`p < .01`, `n.s.`), and `<name>_below`, what p is below (n.s.: nan).
    Coefficients are in accuracy (0 to 1) a unit of discrimination (0 to 1). Read once: not to be changed.
    """
    printed = pd.read_csv(FOLDER / "table1_regressions.csv", dtype=str)
    found = pd.DataFrame({"setting": printed["setting"].map(SETTINGS), "task": printed["task"]})
    found["checkpoint"], found["r2"] = printed["checkpoint"].map(CHECKPOINTS), printed["r2"].astype(float)
    for name in TERMS:
        parts = printed[name].str.extract(TERM)
        found[name], found[f"{name}_p"] = parts[0].astype(float), parts[1]
        found[f"{name}_below"] = parts[1].map(SIGNIFICANT)
    return found
