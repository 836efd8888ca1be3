"""What the figures of the benchmark are, in few words: the text is in `cards.toml`."""

from __future__ import annotations

from isogloss.backend.boards.card import cards

SCORE, CELLS, PLACES, CHANGES, TRANSLATION, WRITING, TRAINING, HYPOTHESES = cards(
    __file__, "score", "cells", "places", "changes", "translation", "writing", "training", "hypotheses"
)
