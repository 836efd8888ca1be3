"""ABX discrimination: does a layer tell languages apart, and does it tell meanings apart?"""

from __future__ import annotations

from isogloss.pages.abx import languages, missing, overview, pairs, relations, selection, trends, truncated
from isogloss.pages.abx.compare import view as compare
from isogloss.pages.widgets.choosing.views import draw_computed, start_page

VIEWS = {
    "Layers × checkpoints": overview.draw,
    "Curves": trends.draw,
    "Languages": languages.draw,
    "Pairs": pairs.draw,
    "Relations": relations.draw,
    "Compare": compare.draw,
}

if chosen := start_page("ABX discrimination", selection.choose):
    # Where no model has a second checkpoint, what changes is the layer.
    first = {} if chosen.is_series else {"Curves": VIEWS["Curves"]}
    draw_computed(chosen, first | VIEWS, missing.offer, truncated.tell)
