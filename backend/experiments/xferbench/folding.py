"""Which sources had more symbols than the model has embeddings, so that several shared one (`fold_ranks`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

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


def of_bases(runs: pd.DataFrame, workspaces: Sequence[Path], special: int = 0) -> dict[str, Folding]:
    """Return the sources that were folded, by their key in scores; of those whose pre-training left nothing, none is.

    `runs` are rows with `source` and `base`, the key of its pre-training's details, as `xferbench_queries.each_seed` has them.
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
