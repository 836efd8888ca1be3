"""The views of Transfer, by their titles."""

from __future__ import annotations

from isogloss.pages.transfer.matrix import best_source
from isogloss.pages.transfer.matrix import view as matrix
from isogloss.pages.transfer.ranking import view as ranking
from isogloss.pages.transfer.views import curves, decomposition, examples, memorisation, scatter, tables

VIEWS = {
    "Matrix": matrix.draw,
    "Best source": best_source.draw,
    "Curves": curves.draw,
    "Scatter": scatter.draw,
    "Decomposition": decomposition.draw,
    "Examples": examples.draw,
    "Memorisation": memorisation.draw,
    "Ranking": ranking.draw,
    "Tables": tables.draw,
}
