"""A measure of ABX as the figures of a comparison draw it."""

from __future__ import annotations

from functools import partial

from isogloss.backend.figures import abx_compare as figures
from isogloss.backend.figures.abx import chance
from isogloss.pages.abx.trends import CARDS
from isogloss.pages.shared.compare.side_by_side import Compared
from isogloss.pages.widgets.figures import colours


def compared(metric: str) -> Compared:
    """Return what is compared, and how it is drawn."""
    card, beside, less = CARDS[metric], partial(figures.side_by_side, metric=metric), partial(figures.difference, metric=metric)
    return Compared(metric, card.name, card, beside, less)


def fit(metric: str) -> bool | None:
    """Draw the range of the colours of both sides; those of retrieval are fitted, its chance being near 0."""
    return chance(metric) is None or colours.fitted("from chance to 1")
