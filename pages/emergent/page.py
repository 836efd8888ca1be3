"""Emergent: how good a language to learn from is one that two agents invented?"""

from __future__ import annotations

from collections.abc import Callable

from pages.emergent.benchmark import correlating, cross_entropy, leaderboard, loss_curves, printed, writing_systems
from pages.emergent.corpora import distributions, frequent, overview, shuffled, success
from pages.emergent.making import view as making
from pages.emergent.shared import selection
from pages.emergent.translation import view as translation
from pages.widgets import view_groups
from pages.widgets.views import opened
from pages.widgets.workspace import guard

View = Callable[[selection.Selection], None]
CORPORA: dict[str, View] = {
    "Overview": overview.draw,
    "Rank–frequency": distributions.ranks,
    "Type–token": distributions.type_token,
    "Lengths": distributions.lengths,
    "Entropies": distributions.entropies,
    "Positions": distributions.positions,
    "Most frequent": frequent.draw,
    "Shuffled": shuffled.draw,
    "Success": success.draw,
}
"""The corpora as they are, before any training."""
BENCHMARK: dict[str, View] = {
    "Leaderboard": leaderboard.draw,
    "Source × target": cross_entropy.draw,
    "Writing systems": writing_systems.draw,
    loss_curves.VIEW: loss_curves.draw,
    "Translation": translation.draw,
    "Scatter": correlating.draw,
    "Printed": lambda _: printed.draw(),
}
GROUPS = {"Corpora": list(CORPORA), "Benchmark": list(BENCHMARK)}

chosen = opened("Emergent languages", selection.choose)
with guard():
    making.draw(chosen)
    if chosen is None:
        printed.draw()  # needs no corpus
    else:
        (CORPORA | BENCHMARK)[view_groups.choose(GROUPS)](chosen)
