"""Latent language: which language's words do the layers tell?"""

from __future__ import annotations

from isogloss.pages.latent import selection
from isogloss.pages.latent.all_views import VIEWS
from isogloss.pages.widgets.choosing.views import draw_computed, start_page

if chosen := start_page("Latent language", selection.choose):
    views = VIEWS if chosen.is_series else {name: view for name, view in VIEWS.items() if name != "Checkpoints"}
    draw_computed(chosen, views, selection.offer, selection.tell)
