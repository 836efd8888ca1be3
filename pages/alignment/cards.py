"""What weak and strong alignment are, in few words: the text is in `cards.toml`."""

from __future__ import annotations

from pages.alignment.selection import Selection
from pages.widgets.figures.card import Card, cards

WORDS, SENTENCES, SIMILARITY, DISTRIBUTIONS, SOURCES, REPETITION = cards(
    __file__, "words", "sentences", "similarity", "distributions", "sources", "repetition"
)


def card(selection: Selection) -> Card:
    """The card of the unit looked at."""
    return WORDS if selection.unit == "word" else SENTENCES
