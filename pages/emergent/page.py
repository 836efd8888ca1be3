"""Emergent: how good a language to learn from is one that two agents invented?"""

from __future__ import annotations

from isogloss.pages.emergent.all_views import GROUPS, VIEWS
from isogloss.pages.emergent.benchmark import printed
from isogloss.pages.emergent.making import view as making
from isogloss.pages.emergent.shared import selection
from isogloss.pages.widgets.choosing import view_groups
from isogloss.pages.widgets.choosing.views import start_page
from isogloss.pages.widgets.workspace import guard

chosen = start_page("Emergent languages", selection.choose)
with guard():
    making.draw(chosen)
    if chosen is None:
        printed.draw()  # needs no corpus
    else:
        VIEWS[view_groups.choose(GROUPS)](chosen)
