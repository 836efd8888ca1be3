"""What a probe's scores say, in few words: the text is in `cards.toml`."""

from __future__ import annotations

from isogloss.backend.boards.card import cards
from isogloss.backend.figures import probing as figures

ACCURACY, F1, SELECTIVITY, LENGTH, CONFUSION, REGRESSION = cards(
    __file__, "accuracy", "f1", "selectivity", "length", "confusion", "regression"
)
CARDS = {
    figures.ACCURACY: ACCURACY,
    figures.F1: F1,
    figures.SELECTIVITY: SELECTIVITY,
    figures.CONTROL: SELECTIVITY,
    figures.LENGTH: LENGTH,
    figures.COMPRESSION: LENGTH,
}
