"""Probing: what can a linear probe read off the vectors of each layer, in a language or across languages?"""

from __future__ import annotations

from isogloss.pages.probing import best, counts, errors, languages, missing, overview, regression, selection, sources, trends
from isogloss.pages.widgets.choosing.views import draw_computed, start_page

VIEWS = {
    "Layers × checkpoints": overview.draw,
    "Curves": trends.draw,
    "Languages": languages.draw,
    "Best layers": best.draw,
    "Sources": sources.draw,
    "Errors": errors.draw,
    "Regression": regression.draw,
}

if chosen := start_page("Probing", selection.choose):
    draw_computed(chosen, VIEWS, missing.offer, counts.tell)
