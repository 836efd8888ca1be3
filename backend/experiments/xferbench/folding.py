"""Which sources had more symbols than the model has embeddings, so that several shared one (`fold_ranks`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from isogloss.backend.experiments.xferbench import queries as xferbench_queries
from isogloss.backend.store import details

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd


@dataclass(frozen=True)
class Folding:
    """Symbols of a source, and the fewer embeddings that they shared."""

    symbols: int
    embeddings: int

    @property
    def text(self) -> str:
        """For a hover: what was done, and to how many."""
        return f"Folded: {self.symbols:,} symbols shared {self.embeddings:,} embeddings"


def foldings(variant: str, workspaces: Sequence[Path]) -> dict[str, Folding]:
    """The sources of a variant that were folded, by their key in scores. Of those whose pre-training left nothing, none is."""
    return of_bases(xferbench_queries.each_seed(workspaces, variant), workspaces)


def of_bases(runs: pd.DataFrame, workspaces: Sequence[Path], special: int = 0) -> dict[str, Folding]:
    """Return the same of rows with `source` and `base`, the key of its pre-training's details.

    `special` is how many embeddings are no symbol's.
    """
    bases = runs.dropna(subset=["base"]).drop_duplicates("source")
    folding_by_source = {}
    for row in bases.to_dict("records"):
        provenance = details.provenance(str(row["base"]), workspaces) or {}
        symbols = provenance.get("symbols")
        vocabulary = provenance.get("options", {}).get("architecture", {}).get("vocabulary")
        if isinstance(symbols, int) and isinstance(vocabulary, int) and symbols > vocabulary - special:
            folding_by_source[str(row["source"])] = Folding(symbols, vocabulary - special)
    return folding_by_source
