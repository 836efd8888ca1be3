"""What the figures that set XferBench against something else are, in few words: the text is in `cards.toml`."""

from __future__ import annotations

from isogloss.backend.boards.card import cards

AGAINST, EXAMPLES, STATISTIC = cards(__file__, "against", "examples", "statistic")
