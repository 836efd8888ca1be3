"""Alignment: is a word, or a sentence, nearest to its translation?"""

from __future__ import annotations

from isogloss.pages.alignment import counts, missing, selection
from isogloss.pages.alignment.all_views import VIEWS
from isogloss.pages.alignment.selection import Selection
from isogloss.pages.shared import sound_vectors
from isogloss.pages.widgets.choosing.views import draw_computed, start_page

CENTRE = ("centred", True, "Centre each language")


def tell(selection: Selection) -> None:
    """Say how many pairs are drawn and lost; of sentences also whose vectors something rules."""
    counts.tell(selection)
    if selection.unit == "sentence":
        pooling_of = lambda model: selection.vector(model.checkpoints)  # noqa: E731
        sound_vectors.tell(selection, pooling_of, centred=selection.options["centred"], centre=CENTRE)


if chosen := start_page("Alignment", selection.choose):
    draw_computed(chosen, VIEWS[chosen.unit], missing.offer, tell)
