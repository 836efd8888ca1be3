"""The numbers printed in de Seyssel et al. 2025 (XLM-R base, 39 checkpoints, 36 languages of WMT24++)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pandas as pd

from isogloss.backend.experiments.published_languages import languages_of

if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = Path(__file__).parent
PAPER = "de Seyssel et al. 2025"
SETTING = "XLM-R base on WMT24++"
SHAPE = ("xlm-roberta", 12, 768)
"""The paper's model: architecture, layers, dimensions."""

Quantity = Literal[
    "final checkpoint",
    "all checkpoints",
    "all layers",
    "retrieval",
    "retrieval, last layer",
    "retrieval, last against all layers",
]
_RETRIEVAL = "meaning discrimination against retrieval top-1, language pairs: "
ROWS: dict[Quantity, str] = {
    "final checkpoint": "language against meaning, language pairs, final checkpoint",
    "all checkpoints": "language against meaning, language pairs x checkpoints",
    "all layers": "language against meaning, across layers",
    "retrieval": _RETRIEVAL
    + "the text suggests retrieval at the last layer and meaning over all layers, which its note 6 contradicts (0.53)",
    "retrieval, last layer": _RETRIEVAL + "both at the last layer",
    "retrieval, last against all layers": _RETRIEVAL + "retrieval at the last layer, meaning over all layers",
}
"""Rows of `correlations.csv` that a figure shows too, by a short name."""


@dataclass(frozen=True)
class Printed:
    """A correlation as the paper prints it, −1 to 1."""

    statistic: str
    """Pearson or Spearman."""
    value: float
    where: str
    """Its section or table."""

    @property
    def source(self) -> str:
        """Cite the paper with section or table."""
        return f"{PAPER}, {self.where}"


def printed_correlations(quantity: Quantity) -> list[Printed]:
    """Return the paper's correlations of a quantity, one a statistic. Raises `KeyError` where the CSV lacks it."""
    table = correlations()
    rows = table[table["quantity"] == ROWS[quantity]]
    if rows.empty:
        raise KeyError(ROWS[quantity])
    return [Printed(row["statistic"].capitalize(), float(row["value"]), row["where"]) for _, row in rows.iterrows()]


def printed_spread() -> Printed:
    """Return the bound that the paper prints for the average standard deviation over five subsamples: it lies below this."""
    [row] = [row for _, row in correlations().iterrows() if row["statistic"] == "average standard deviation"]
    return Printed("Average standard deviation", float(str(row["value"]).removeprefix("<")), row["where"])


def differences(architecture: str, layers: int, dims: int, corpus: str, languages: Iterable[str]) -> list[str]:
    """In words, where a selection is not the paper's: model, corpus, languages. Empty where all three are like it.

    `corpus` is what is known of the corpus, its name and source; `languages` are BCP-47 tags, of which the language counts.
    """
    reasons = []
    if (architecture, layers, dims) != SHAPE:
        reasons.append(f"another model ({architecture}, {layers} layers)")
    if not any(name in corpus.casefold() for name in ("wmt24++", "wmt24pp")):
        reasons.append("another corpus")
    theirs = set(languages_of("abx"))
    ours = {tag.split("-")[0] for tag in languages}
    if ours != theirs:
        others = len(ours - theirs)
        more = f" and {others} {'other' if others == 1 else 'others'}" if others else ""
        reasons.append(f"{len(ours & theirs)} of its {len(theirs)} languages{more}")
    return reasons


@cache
def correlations() -> pd.DataFrame:
    """Sections 4.1 and 4.2: where, quantity, statistic, value (−1 to 1), p. Read once: not to be changed."""
    return pd.read_csv(FOLDER / "correlations.csv", dtype={"p": str})
