"""What the measures of the latent language are, in few words: the text is in `cards.toml`."""

from __future__ import annotations

from isogloss.backend.boards.card import cards

MASS, ENTROPY = cards(__file__, "mass", "entropy")
