"""What the statistics of a corpus are, in few words: the text is in `cards.toml`. The benchmark has cards of its own."""

from __future__ import annotations

from isogloss.backend.boards.card import cards

OVERVIEW, RANKS, TYPE_TOKEN, LENGTHS, ENTROPIES, POSITIONS, FREQUENT, SHUFFLED, GROWTH, MEANINGS = cards(
    __file__,
    "overview",
    "ranks",
    "type_token",
    "lengths",
    "entropies",
    "positions",
    "frequent",
    "shuffled",
    "growth",
    "meanings",
)
