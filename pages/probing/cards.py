"""What a probe's scores say, in few words: the text is in `cards.toml`."""

from __future__ import annotations

from pages.probing import frames
from pages.widgets.card import cards

ACCURACY, F1, SELECTIVITY, LENGTH, CONFUSION, REGRESSION = cards(
    __file__, "accuracy", "f1", "selectivity", "length", "confusion", "regression"
)
CARDS = {
    frames.ACCURACY: ACCURACY,
    frames.F1: F1,
    frames.SELECTIVITY: SELECTIVITY,
    frames.CONTROL: SELECTIVITY,
    frames.LENGTH: LENGTH,
    frames.COMPRESSION: LENGTH,
}
