"""What both scores of ABX are, in few words: the text is in `cards.toml`. Other cards lie beside their pages."""

from __future__ import annotations

from isogloss.backend.boards.card import cards

(BOTH,) = cards(__file__, "both")
