"""The views of Transfer, by group and title."""

from __future__ import annotations

from isogloss.pages.transfer.matrix import best_source
from isogloss.pages.transfer.matrix import view as matrix
from isogloss.pages.transfer.ranking import view as ranking
from isogloss.pages.transfer.views import curves, decomposition, examples, memorisation, scatter, tables

GROUPS = {
    "Matrix": {"Matrix": matrix.draw, "Best source": best_source.draw, "Scatter": scatter.draw},
    "Curves": {"Curves": curves.draw, "Decomposition": decomposition.draw, "Memorisation": memorisation.draw},
    "Examples": {"Examples": examples.draw},
    "Ranking": {"Ranking": ranking.draw},
    "Tables": {"Tables": tables.draw},
}
"""The views, by what they show: directions beside each other, one over its training, its texts, and the paper's tables."""
VIEWS = {view: draw for views in GROUPS.values() for view, draw in views.items()}
