"""The views of Emergent, by group and title."""

from __future__ import annotations

from collections.abc import Callable

from isogloss.pages.emergent.benchmark import correlating, cross_entropy, leaderboard, printed, writing_systems
from isogloss.pages.emergent.corpora import distributions, entropies, frequent, mirrored, overview
from isogloss.pages.emergent.learning import games, models
from isogloss.pages.emergent.shared import selection
from isogloss.pages.emergent.translation import view as translation

View = Callable[[selection.Selection], None]
GROUPS: dict[str, dict[str, View]] = {
    "Overview": {"Overview": overview.draw, mirrored.VIEW: mirrored.draw},
    "Distributions": {
        "Rank–frequency": distributions.ranks,
        "Type–token": distributions.type_token,
        "Lengths": distributions.lengths,
        "Most frequent": frequent.draw,
    },
    "Entropies": {"Entropies": entropies.draw, "Positions": distributions.positions},
    "Leaderboard": {"Leaderboard": leaderboard.draw, "Source × target": cross_entropy.draw},
    "Translation": {"Translation": translation.draw},
    "Learning curves": {
        games.VIEW: games.draw,
        models.XFERBENCH: models.draw_xferbench,
        models.TRANSLATION: models.draw_translation,
    },
    "More": {
        "Writing systems": writing_systems.draw,
        correlating.VIEW: correlating.draw,
        "Printed": lambda _: printed.draw(),
    },
}
"""The views, by the question that they answer: the corpora as they are, what they are worth, and how was learned."""
VIEWS = {view: draw for views in GROUPS.values() for view, draw in views.items()}
