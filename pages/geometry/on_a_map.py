"""Languages on a map: a measure of each, or of its pairs, and where a layer's groups of languages part."""

from __future__ import annotations

from functools import partial

from isogloss.backend.experiments.geometry.measures import KINDS
from isogloss.backend.figures.geometry import form_of
from isogloss.pages.geometry.cards import CARDS
from isogloss.pages.geometry.selection import Selection, choose_measure
from isogloss.pages.shared.abx import on_a_map
from isogloss.pages.shared.on_a_map import Measured


def draw(selection: Selection) -> None:
    """Draw the map."""
    on_a_map.draw(selection, partial(choose_measure, selection), _measured, of_pairs=lambda metric: KINDS[metric].of == "pair")


def _measured(metric: str) -> Measured:
    kind = KINDS[metric]
    return Measured(kind.measure.axis, CARDS[metric], scale=kind.range, form=form_of(metric))
