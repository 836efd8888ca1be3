"""Alignment: is a word, or a sentence, nearest to its translation?"""

from __future__ import annotations

from isogloss.pages.alignment import counts, missing, selection
from isogloss.pages.alignment.all_views import VIEWS
from isogloss.pages.widgets.choosing.views import draw_computed, start_page

if chosen := start_page("Alignment", selection.choose):
    draw_computed(chosen, VIEWS[chosen.unit], missing.offer, counts.tell)
