"""What the measures of ABX are, in few words: the text is in `cards.toml`."""

from __future__ import annotations

from isogloss.backend.boards.card import cards

LANGUAGE, MEANING, RETRIEVAL, SPREAD = cards(__file__, "language", "meaning", "retrieval", "spread")
