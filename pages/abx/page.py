"""ABX discrimination: does a layer tell languages apart, and does it tell meanings apart?"""

from __future__ import annotations

from isogloss.pages.abx import missing, selection
from isogloss.pages.abx.all_views import VIEWS
from isogloss.pages.shared.abx import about_vectors
from isogloss.pages.widgets.choosing.views import draw_computed, start_page

if chosen := start_page("ABX discrimination", selection.choose):
    # Where no model has a second checkpoint, what changes is the layer.
    first = {} if chosen.is_series else {"Curves": VIEWS["Curves"]}
    draw_computed(chosen, first | VIEWS, missing.offer, about_vectors.tell)
