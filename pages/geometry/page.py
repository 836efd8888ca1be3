"""Geometry: how do the vectors of translated sentences lie to each other?"""

from __future__ import annotations

from isogloss.pages.geometry import selection
from isogloss.pages.geometry.all_views import VIEWS
from isogloss.pages.shared.abx import about_vectors
from isogloss.pages.widgets.choosing.views import draw_computed, start_page

if chosen := start_page("Geometry of sentence vectors", selection.choose):
    first = {} if chosen.is_series else {"Curves": VIEWS["Curves"]}
    draw_computed(chosen, first | VIEWS, selection.offer, about_vectors.tell)
