"""Emergent: how good a language to learn from is one that two agents invented?"""

from __future__ import annotations

from collections.abc import Callable

from isogloss.pages.emergent.benchmark import correlating, cross_entropy, leaderboard, printed, writing_systems
from isogloss.pages.emergent.corpora import distributions, entropies, frequent, overview
from isogloss.pages.emergent.learning import games, models
from isogloss.pages.emergent.making import view as making
from isogloss.pages.emergent.shared import selection
from isogloss.pages.emergent.translation import view as translation
from isogloss.pages.widgets.choosing import view_groups
from isogloss.pages.widgets.choosing.views import start_page
from isogloss.pages.widgets.workspace import guard

View = Callable[[selection.Selection], None]
GROUPS: dict[str, dict[str, View]] = {
    "Overview": {"Overview": overview.draw},
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

chosen = start_page("Emergent languages", selection.choose)
with guard():
    making.draw(chosen)
    if chosen is None:
        printed.draw()  # needs no corpus
    else:
        VIEWS[view_groups.choose({group: list(views) for group, views in GROUPS.items()})](chosen)
