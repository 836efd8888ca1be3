"""What the figures of Relations show, in few words: the text is in `cards.toml`."""

from __future__ import annotations

from isogloss.backend.boards.card import cards

CORRELATION, PARTIAL, EVERYWHERE, MATRIX, REGRESSION, CHECKPOINTS, SOURCES, GROUPS, MAP, MODELS = cards(
    __file__,
    "correlation",
    "partial",
    "everywhere",
    "matrix",
    "regression",
    "checkpoints",
    "sources",
    "groups",
    "map",
    "models",
)
