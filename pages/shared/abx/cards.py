"""What both scores of ABX are, in few words: the text is in `cards.toml`."""

from __future__ import annotations

from isogloss.pages.widgets.figures.card import cards

(BOTH,) = cards(__file__, "both")
