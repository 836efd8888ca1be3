"""Probing: what can a linear probe read off the vectors of each layer, in a language or across languages?"""

from __future__ import annotations

from isogloss.pages.probing import counts, missing, selection
from isogloss.pages.probing.all_views import VIEWS
from isogloss.pages.widgets.choosing.views import draw_computed, start_page

if chosen := start_page("Probing", selection.choose):
    draw_computed(chosen, VIEWS, missing.offer, counts.tell)
