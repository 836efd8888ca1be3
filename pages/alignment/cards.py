"""What weak and strong alignment are, in few words: the text is in `cards.toml`."""

from __future__ import annotations

from dataclasses import replace

from isogloss.backend.boards.card import Card, cards
from isogloss.backend.metrics.retrieval.options import FORMULAS, NEIGHBOURS
from isogloss.pages.alignment.selection import Selection

WORDS, SENTENCES, SIMILARITY, DISTRIBUTIONS, SOURCES, REPETITION = cards(
    __file__, "words", "sentences", "similarity", "distributions", "sources", "repetition"
)
CROWDING = (
    " r is the mean cosine with the {k} nearest of the other set. Whether a word is one of the nearest to itself in its "
    "own language, the paper does not say; in the code that made table IV it is (Options, Strong)."
)


def card(selection: Selection) -> Card:
    """Return the card of the unit looked at, with the formula of the similarity that is chosen."""
    unit, similarity = WORDS if selection.unit == "word" else SENTENCES, selection.options["similarity"]
    formula = f"{unit.formula} \\qquad s(x, y) = {FORMULAS[similarity]}"
    crowding = CROWDING.format(k=selection.options["k"]) if similarity in NEIGHBOURS else ""
    return replace(unit, formula=formula, reading=unit.reading + crowding)
